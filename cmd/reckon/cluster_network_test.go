package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// network joins namespaces, each with one device, and this machine as the last of its machines. Packets between them go through
// the test, which loses or delays them: no module of the kernel is needed for that but tun.
type network struct {
	machines []*machine
	prefix   string // the first three numbers of all addresses
}

// machine is a machine of the network.
type machine struct {
	space   string // namespace, "" for this machine
	address string
	device  *os.File
	to      []link // by machine
}

// link is one direction between two machines.
type link struct {
	lost    atomic.Bool
	delay   atomic.Int64 // nanoseconds
	waiting chan packet
}

type packet struct {
	data []byte
	due  time.Time
}

// newNetwork makes so many namespaces and joins them. ok is false, and the test says so, where the machine does not allow
// that.
func newNetwork(t *testing.T, count int) (w *network, ok bool) {
	t.Helper()
	if os.Geteuid() != 0 {
		notRun(t, "it needs root, for network namespaces")
		return nil, false
	}
	// Addresses that are set aside for trying out networks.
	w = &network{prefix: fmt.Sprintf("198.18.%d.", os.Getpid()%256)}
	for i := range count + 1 {
		m := &machine{address: fmt.Sprintf("%s%d", w.prefix, i+1), to: make([]link, count+1)}
		if i < count {
			m.space = fmt.Sprintf("reckon%d-%d", os.Getpid(), i+1)
		}
		w.machines = append(w.machines, m)
		if err := m.join(t, fmt.Sprintf("rk%d-%d", os.Getpid()%100_000, i+1)); err != nil {
			notRun(t, fmt.Sprintf("it needs network namespaces and /dev/net/tun: %v", err))
			return nil, false
		}
	}
	for i := range w.machines {
		go w.forward(i)
	}
	return w, true
}

// join makes a machine's namespace and device.
func (m *machine) join(t *testing.T, name string) (err error) {
	if m.space != "" {
		if err := ip("netns", "add", m.space); err != nil {
			return err
		}
		t.Cleanup(func() { _ = ip("netns", "del", m.space) })
	}
	fd, err := syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("open /dev/net/tun: %w", err)
	}
	var order [40]byte // struct ifreq: the device's name, and flags
	copy(order[:syscall.IFNAMSIZ-1], name)
	*(*uint16)(unsafe.Pointer(&order[syscall.IFNAMSIZ])) = syscall.IFF_TUN | syscall.IFF_NO_PI
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TUNSETIFF, uintptr(unsafe.Pointer(&order))); errno != 0 {
		syscall.Close(fd)
		return fmt.Errorf("make a device: %w", errno)
	}
	m.device = os.NewFile(uintptr(fd), name)
	t.Cleanup(func() { m.device.Close() })
	var within []string
	if m.space != "" {
		if err := ip("link", "set", name, "netns", m.space); err != nil {
			return err
		}
		within = []string{"-n", m.space}
		if err := ip("-n", m.space, "link", "set", "lo", "up"); err != nil {
			return err
		}
	}
	for _, step := range [][]string{{"link", "set", name, "mtu", "9000", "up"}, {"addr", "add", m.address + "/24", "dev", name}} {
		if err := ip(append(within, step...)...); err != nil {
			return err
		}
	}
	return nil
}

func ip(args ...string) error {
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", args, err, bytes.TrimSpace(out))
	}
	return nil
}

// forward passes on what a machine sends, until its device is closed.
func (w *network) forward(from int) {
	m := w.machines[from]
	for i := range m.to {
		m.to[i].waiting = make(chan packet, 10_000)
		go func() {
			for p := range m.to[i].waiting {
				<-time.After(time.Until(p.due))
				_, _ = w.machines[i].device.Write(p.data)
			}
		}()
	}
	defer func() {
		for i := range m.to {
			close(m.to[i].waiting)
		}
	}()
	for buffer := make([]byte, 1<<16); ; {
		n, err := m.device.Read(buffer)
		if err != nil {
			return
		}
		const destination = 16 // of an IPv4 header
		if n < 20 || buffer[0]>>4 != 4 || string(buffer[destination:destination+3]) != string(net.ParseIP(m.address).To4()[:3]) {
			continue
		}
		to := int(buffer[destination+3]) - 1
		if to < 0 || to >= len(m.to) || m.to[to].lost.Load() {
			continue
		}
		if delay := m.to[to].delay.Load(); delay > 0 || len(m.to[to].waiting) > 0 {
			select {
			case m.to[to].waiting <- packet{bytes.Clone(buffer[:n]), time.Now().Add(time.Duration(delay))}:
			default: // a full queue loses packets, as routers do
			}
			continue
		}
		_, _ = w.machines[to].device.Write(buffer[:n])
	}
}

// nodes are the machines but this machine.
func (w *network) nodes() int { return len(w.machines) - 1 }

// cut loses, or no longer loses, all that one node sends to the other nodes, all that it is sent by them, or both. This machine
// goes on reaching it.
func (w *network) cut(node int, sent, received, lost bool) {
	for i := range w.nodes() {
		if i != node && sent {
			w.machines[node].to[i].lost.Store(lost)
		}
		if i != node && received {
			w.machines[i].to[node].lost.Store(lost)
		}
	}
}

// slow delays all that nodes send each other.
func (w *network) slow(delay time.Duration) {
	for i := range w.nodes() {
		for j := range w.nodes() {
			w.machines[i].to[j].delay.Store(int64(delay))
		}
	}
}

// inside does something where the node's network is, on a thread that ends with it.
func (n *node) inside(do func() error) error {
	if n.space == "" {
		return do()
	}
	result := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and is never unlocked: the thread is in another namespace
		space, err := os.Open("/run/netns/" + n.space)
		if err != nil {
			result <- err
			return
		}
		defer space.Close()
		if err := unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err != nil {
			result <- fmt.Errorf("enter the namespace of %s: %w", n.name, err)
			return
		}
		result <- do()
	}()
	return <-result
}

// newNetworkCluster makes three nodes in namespaces of their own that do not run yet, with the credentials that nodes need
// there. ok is false, and the test says so, where the machine does not allow that.
func newNetworkCluster(t *testing.T, dir string) (c *cluster, w *network, ok bool) {
	t.Helper()
	if w, ok = newNetwork(t, 3); !ok {
		return nil, nil, false
	}
	c = newCluster(t, dir)
	for i, n := range c.nodes {
		m, own := w.machines[i], filepath.Join(dir, n.name+"-credentials")
		out, err := n.command("cluster", "credentials", own, "--ca", filepath.Join(dir, "authority"), "--host", m.address).CombinedOutput()
		if err != nil {
			t.Fatalf("make the credentials of %s: %v: %s", n.name, err, out)
		}
		n.flags = []string{
			"--cluster-tls-cert", filepath.Join(own, nodeCertificate), "--cluster-tls-key", filepath.Join(own, nodeKey),
			"--cluster-tls-ca", filepath.Join(own, authorityCertificate), "--cluster-secret-file", filepath.Join(own, clusterSecret),
		}
		n.space, n.listen, n.routed, n.url = m.space, m.address+":8080", m.address+":6222", "http://"+m.address+":8080"
	}
	return c, w, true
}
