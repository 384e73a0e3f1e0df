package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// drive is a disk with a write cache that forgets: what was written and not flushed is lost with the power, but for some
// of it, in any order. It is a file that this process serves through FUSE, under a loop device and ext4. From the moment
// at which its power is cut it answers nothing but errors, so that nobody is told that anything is on it which is not.
type drive struct {
	disk
	platter *os.File      // what is there without power
	slow    time.Duration // a flush takes as long at most
	size    int64

	mutex   sync.Mutex
	cache   map[int64][]byte // sectors that are not flushed, by their place
	random  *rand.Rand
	dead    bool
	failing bool // see failJournal

	device int            // of FUSE
	serves sync.WaitGroup // those who serve it
}

const (
	sector      = 4096
	driveWrite  = 1 << 20 // the largest write
	fuseGetattr = 3
	fuseSetattr = 4
	fuseOpen    = 14
	fuseRead    = 15
	fuseWrite   = 16
	fuseStatfs  = 17
	fuseRelease = 18
	fuseFsync   = 20
	fuseFlush   = 25
	fuseInit    = 26
	fuseDestroy = 38
)

// newDrive makes and mounts a file system on a drive. ok is false, and the test says so, where the machine does not allow that.
func newDrive(t *testing.T, megabytes int, slow time.Duration, seed uint64) (d *drive, ok bool) {
	t.Helper()
	dir := t.TempDir()
	d = &drive{
		disk: disk{filepath.Join(dir, "device"), t.TempDir()}, slow: slow, size: int64(megabytes) << 20,
		cache: map[int64][]byte{}, random: rand.New(rand.NewPCG(seed, 1)), device: -1,
	}
	var err error
	if d.platter, err = os.Create(filepath.Join(dir, "platter")); err == nil {
		err = errors.Join(d.platter.Truncate(d.size), os.WriteFile(d.image, nil, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.platter.Close() })
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", d.platter.Name()).CombinedOutput(); err != nil {
		notRun(t, fmt.Sprintf("it needs mkfs.ext4: %v %s", err, out))
		return d, false
	}
	if err := d.powerOn(); err != nil {
		notRun(t, fmt.Sprintf("it needs FUSE, loop devices and the right to mount: %v", err))
		return d, false
	}
	t.Cleanup(func() {
		if err := d.powerOff(); err != nil {
			t.Error(err)
		}
	})
	return d, true
}

// powerOn serves the drive and mounts its file system, which recovers it as after a boot.
func (d *drive) powerOn() (err error) {
	if d.device, err = unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0); err != nil {
		return fmt.Errorf("open FUSE: %w", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=%o,user_id=0,group_id=0", d.device, unix.S_IFREG|0o600)
	if err := unix.Mount("drive", d.image, "fuse", 0, options); err != nil {
		return errors.Join(fmt.Errorf("mount drive: %w", err), unix.Close(d.device))
	}
	d.dead = false
	d.serves.Go(d.serve)
	return d.mount()
}

// cut takes the power away. A part of what was not flushed is there all the same.
func (d *drive) cut() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.dead, d.failing = true, false
	for _, at := range slices.Sorted(maps.Keys(d.cache)) { // so that a seed does the same again
		if d.random.IntN(2) == 0 {
			_, _ = d.platter.WriteAt(d.cache[at], at)
		}
	}
	clear(d.cache)
}

// failJournal has the next write fail with which ext4 begins or ends a transaction in its journal.
func (d *drive) failJournal() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.failing = true
}

// powerOff unmounts the file system, and the drive once its loop device has let go of it.
func (d *drive) powerOff() error {
	if out, err := exec.Command("umount", d.mounted).CombinedOutput(); err != nil {
		return fmt.Errorf("umount: %w %s", err, out)
	}
	err := unix.Unmount(d.image, 0)
	for again := 0; errors.Is(err, unix.EBUSY) && again < 1000; again++ {
		time.Sleep(10 * time.Millisecond)
		err = unix.Unmount(d.image, 0)
	}
	if err != nil {
		return fmt.Errorf("unmount drive: %w", err)
	}
	d.serves.Wait()
	return unix.Close(d.device)
}

// restart is a boot.
func (d *drive) restart(t *testing.T) {
	t.Helper()
	if err := d.powerOff(); err != nil {
		t.Fatal(err)
	}
	if err := d.powerOn(); err != nil {
		t.Fatal(err)
	}
}

// serve answers the kernel until the drive is unmounted. The protocol is that of linux/fuse.h.
func (d *drive) serve() {
	buffer := make([]byte, driveWrite+sector)
	for {
		n, err := unix.Read(d.device, buffer)
		if errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EAGAIN) {
			continue
		}
		if err != nil {
			return // it is unmounted
		}
		request := bytes.Clone(buffer[:n])
		if binary.LittleEndian.Uint32(request[4:]) == fuseFsync {
			d.serves.Go(func() {
				time.Sleep(d.delay())
				d.answer(request)
			})
		} else {
			d.answer(request)
		}
	}
}

// delay is how long a flush takes.
func (d *drive) delay() time.Duration {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return time.Duration(d.random.Int64N(int64(d.slow) + 1))
}

// answer does what a request asks for. The power is there until that is answered, or it is not done.
func (d *drive) answer(request []byte) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	little := binary.LittleEndian
	opcode, body := little.Uint32(request[4:]), request[40:]
	reply := make([]byte, 16)
	errno := unix.Errno(0)
	add := func(words ...uint64) { // the pairs of 32 bits among them as one
		for _, w := range words {
			reply = little.AppendUint64(reply, w)
		}
	}
	switch opcode {
	case fuseInit:
		const asyncRead, bigWrites, maxPages = 1 << 0, 1 << 5, 1 << 22
		add(7|31<<32, 1<<17|(asyncRead|bigWrites|maxPages)<<32, 64|48<<16|driveWrite<<32, 1|(driveWrite/sector)<<32, 0, 0, 0, 0)
	case fuseGetattr, fuseSetattr:
		add(3600, 0) // seconds for which it is valid
		add(1, uint64(d.size), uint64(d.size)/512, 0, 0, 0, 0, (unix.S_IFREG|0o600)<<32, 1, 0, sector)
	case fuseOpen:
		add(0, 0)
	case fuseRead:
		at, size := int64(little.Uint64(body[8:])), int64(little.Uint32(body[16:]))
		var data []byte
		if data, errno = d.load(at, size); errno == 0 {
			reply = append(reply, data...)
		}
	case fuseWrite:
		at, data := int64(little.Uint64(body[8:])), body[40:]
		errno = d.store(at, data)
		add(uint64(len(data)))
	case fuseFsync:
		errno = d.flush()
	case fuseFlush, fuseRelease, fuseDestroy:
	case fuseStatfs:
		reply = append(reply, make([]byte, 80)...)
	default:
		errno = unix.ENOSYS
	}
	if errno != 0 {
		reply = reply[:16]
	}
	little.PutUint32(reply, uint32(len(reply)))
	little.PutUint32(reply[4:], uint32(-int32(errno)))
	copy(reply[8:16], request[8:16])
	const forget, interrupt, batchForget = 2, 36, 42 // are not answered
	if opcode != forget && opcode != interrupt && opcode != batchForget {
		_, _ = unix.Write(d.device, reply) // fails when it is unmounted
	}
}

func (d *drive) load(at, size int64) ([]byte, unix.Errno) {
	if d.dead {
		return nil, unix.EIO
	}
	data := make([]byte, max(min(size, d.size-at), 0))
	if _, err := d.platter.ReadAt(data, at); err != nil {
		return nil, unix.EIO
	}
	for from := at / sector * sector; from < at+int64(len(data)); from += sector {
		if cached, ok := d.cache[from]; ok {
			copy(data[max(from-at, 0):], cached[max(at-from, 0):])
		}
	}
	return data, 0
}

// journalBlock is what blocks begin with that tell of a transaction in a journal of ext4.
var journalBlock = []byte{0xC0, 0x3B, 0x39, 0x98}

func (d *drive) store(at int64, data []byte) unix.Errno {
	if d.failing && bytes.HasPrefix(data, journalBlock) {
		d.failing = false
		return unix.EIO
	}
	if d.dead {
		return unix.EIO
	}
	for len(data) > 0 {
		from := at / sector * sector
		part := data[:min(int64(len(data)), from+sector-at)]
		whole, errno := d.load(from, sector)
		if errno != 0 {
			return errno
		}
		copy(whole[at-from:], part)
		d.cache[from] = whole
		at, data = at+int64(len(part)), data[len(part):]
	}
	return 0
}

func (d *drive) flush() unix.Errno {
	if d.dead {
		return unix.EIO
	}
	for at, data := range d.cache {
		if _, err := d.platter.WriteAt(data, at); err != nil {
			return unix.EIO
		}
	}
	clear(d.cache)
	return 0
}
