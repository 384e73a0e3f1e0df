package log

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A node that has the log of another cluster with the same name would bring the others to delete theirs. It does not join.
func TestNodeOfAnotherLogDoesNotJoin(t *testing.T) {
	t.Parallel()
	ours, theirs := newTrio(t), newTrio(t)
	sequence := ours.append(t, 0, created("a"), 0)
	for i := range theirs.logs {
		theirs.close(t, i)
	}
	ours.close(t, 2)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stray := ours.options[2]
	stray.Dir = theirs.options[2].Dir
	l, err := Open(ctx, stray)
	if err == nil {
		l.Close()
	}
	// It is told by another node, and not by what it sees in a cluster that it has joined.
	if !errors.Is(err, ErrOrigin) || !strings.Contains(err.Error(), "of the cluster trio has one that was begun at") {
		t.Fatalf("opening a node with the log of another cluster ends with %v", err)
	}
	ours.start(t, 2)
	ours.wantLast(t, sequence, 0, 1, 2)

	// One that does not know what it has, as of a version before, or a new one, joins and knows from then on.
	ours.close(t, 1)
	path := originPath(ours.options[1].Dir)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	ours.start(t, 1)
	ours.wantLast(t, sequence, 1)
	know := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "origin"))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	if a, b := know(ours.options[0].Dir), know(ours.options[1].Dir); a != b || a == know(stray.Dir) {
		t.Errorf("the nodes have the logs %q and %q, another cluster %q", a, b, know(stray.Dir))
	}
}
