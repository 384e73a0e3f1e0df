package log

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reckon/events/log/logtest"
)

// A node that has the log of another cluster with the same name would bring the others to delete theirs. It does not join.
func TestNodeOfAnotherLogDoesNotJoin(t *testing.T) {
	t.Parallel()
	ours, theirs := newTrio(t), newTrio(t)
	sequence := ours.Append(t, 0, logtest.Created("a"), 0)
	for i := range theirs.Logs {
		theirs.Close(t, i)
	}
	ours.Close(t, 2)

	ctx, cancel := context.WithTimeout(t.Context(), logtest.Patience)
	defer cancel()
	stray := options(ours.Nodes[2])
	stray.Dir = theirs.Nodes[2].Dir
	l, err := Open(ctx, stray)
	if err == nil {
		l.Close()
	}
	// It is told by another node, and not by what it sees in a cluster that it has joined.
	if !errors.Is(err, ErrOrigin) || !strings.Contains(err.Error(), "of the cluster trio has one that was begun at") {
		t.Fatalf("opening a node with the log of another cluster ends with %v", err)
	}
	ours.Start(t, 2)
	ours.WantLast(t, sequence, 0, 1, 2)

	// One that does not know what it has, as of a version before, or a new one, joins and knows from then on.
	ours.Close(t, 1)
	path := originPath(ours.Nodes[1].Dir)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	ours.Start(t, 1)
	ours.WantLast(t, sequence, 1)
	know := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "origin"))
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
	if a, b := know(ours.Nodes[0].Dir), know(ours.Nodes[1].Dir); a != b || a == know(stray.Dir) {
		t.Errorf("the nodes have the logs %q and %q, another cluster %q", a, b, know(stray.Dir))
	}
}
