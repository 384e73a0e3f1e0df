package commands

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// ErrDiskFull says that calculations are refused since the disk is nearly full.
var ErrDiskFull = errors.New("the disk is nearly full")

// spaceEvery is how often the disk is looked at, so that less is written in between than is kept
// free.
const spaceEvery = 500 * time.Millisecond

// Free is how much of a disk is kept free: a share of it, but no more than so many bytes. What
// calculations cannot take is left to administration, erasure, and the stores' own upkeep.
type Free struct {
	Share float64 // 0 to 1
	Bytes uint64
}

// disk is a directory whose file system is kept from running full. Its zero value is never full.
type disk struct {
	dir    string
	keep   Free
	logger *slog.Logger
	mutex  sync.Mutex
	at     time.Time // of the last look
	err    error     // that it told
}

// KeepFree has calculations refused while the file system of a directory has less free than so
// much. It is called before Run.
func (s *Service) KeepFree(dir string, keep Free) {
	s.disk.dir, s.disk.keep, s.disk.logger = dir, keep, s.logger
}

// room is nil, or ErrDiskFull with figures. A file system that does not answer counts as having
// room: the log says what is wrong with it.
func (d *disk) room() error {
	if d.dir == "" {
		return nil
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if time.Since(d.at) < spaceEvery {
		return d.err
	}
	d.at = time.Now()
	before := d.err
	d.err = d.look()
	switch {
	case d.err != nil && before == nil:
		d.logger.Error("calculations are refused until there is space again", "error", d.err)
	case d.err == nil && before != nil:
		d.logger.Info("there is space again")
	}
	return d.err
}

// least is how much of a disk of so many bytes is kept free.
func (d *disk) least(total uint64) uint64 {
	return min(d.keep.Bytes, uint64(d.keep.Share*float64(total)))
}

func (d *disk) look() error {
	free, total, err := DiskSpace(d.dir)
	if err != nil {
		return nil
	}
	least := d.least(total)
	if free >= least {
		return nil
	}
	return fmt.Errorf("%w: %d MiB are free, and %d are kept free", ErrDiskFull, free>>20, least>>20)
}
