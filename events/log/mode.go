package log

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"reckon/events"
	"reckon/events/log/natsfile"
)

// ErrMode says that a data directory belongs to another way of running, or to another node.
var ErrMode = errors.New("the data directory is of another mode")

// mode is the way of running that a data directory belongs to. The zero mode is a single node.
type mode struct {
	Cluster  string `json:"cluster,omitempty"`  // name of the cluster that it is a node of
	Node     string `json:"node,omitempty"`     // name of the node
	External bool   `json:"external,omitempty"` // the log is on a NATS of its own, only the views are here
}

func (m mode) String() string {
	switch {
	case m.External:
		return "a node with an existing NATS (--nats-url)"
	case m.Cluster != "":
		return fmt.Sprintf("node %s of the cluster %s (--cluster %s --node %s)", m.Node, m.Cluster, m.Cluster, m.Node)
	}
	return "a single node (without --cluster and --nats-url)"
}

func (o Options) mode() mode {
	switch {
	case o.Cluster != nil:
		return mode{Cluster: o.Cluster.Name, Node: o.Cluster.Node}
	case o.External != nil:
		return mode{External: true}
	}
	return mode{}
}

// refuse says why a directory of this mode cannot be opened alone.
func (m mode) refuse(dir string) error {
	way := "which is not running: start that node and give the command then, or name the data directory of another node that runs"
	if m.External {
		way = "so that the log is not here: give the same --nats-url as that server has"
	}
	return fmt.Errorf("%w: %s belongs to %s, %s", ErrMode, dir, m, way)
}

// ClusterOf is the name of the cluster that a data directory is a node's of; "" for any other
// directory, or none.
func ClusterOf(dir string) (string, error) {
	m, _, err := modeOf(dir)
	return m.Cluster, err
}

func modePath(dir string) string { return filepath.Join(dir, "mode.json") }

// modeOf is the mode of a data directory; known is false for one that nothing has used yet.
func modeOf(dir string) (m mode, known bool, err error) {
	text, err := os.ReadFile(modePath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		_, err = os.Stat(filepath.Join(dir, "log"))
		if errors.Is(err, fs.ErrNotExist) {
			return m, false, nil
		}
		return m, err == nil, err
	}
	if err == nil {
		err = events.Unmarshal(text, &m)
	}
	if err != nil {
		return m, false, fmt.Errorf("read the mode of the data directory: %w", err)
	}
	return m, true, nil
}

// claimMode makes a directory one of a mode, or fails with ErrMode where it is one of another.
func claimMode(dir string, want mode) error {
	have, known, err := modeOf(dir)
	switch {
	case err != nil:
		return err
	case known && have == want:
		return nil
	case known:
		return fmt.Errorf("%w: %s belongs to %s and not to %s: start it as what it is, or give another --data directory", ErrMode, dir, have, want)
	case want == mode{}:
		return nil
	}
	text, err := events.Marshal(want)
	if err != nil {
		return err
	}
	err = replaceFile(modePath(dir), string(text))
	if err != nil {
		return fmt.Errorf("write the mode of the data directory: %w", err)
	}
	return nil
}

// replaceFile makes a line what a file of a data directory holds. It is on disk when replaceFile
// returns; before, the file is as it was.
func replaceFile(path, line string) error {
	next := path + ".new"
	err := os.WriteFile(next, []byte(line+"\n"), 0o600)
	if err == nil {
		err = natsfile.SyncPath(next)
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err == nil {
		err = natsfile.SyncPath(filepath.Dir(path))
	}
	return err
}
