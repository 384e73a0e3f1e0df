package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestChatOnATerminal types into a chat on a terminal, which is made narrow meanwhile.
func TestChatOnATerminal(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "journey.yaml")
	if err := os.WriteFile(file, []byte(clientDomain), 0o600); err != nil {
		t.Fatal(err)
	}
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer keyboard.Close()
	fd := int(keyboard.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	resize := func(columns uint16) {
		if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
			t.Fatal(err)
		}
	}
	resize(80)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "reckon", "ask", file)
	cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = screen, screen, screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	screen.Close()
	var seen bytes.Buffer
	until := func(text string) {
		t.Helper()
		part := make([]byte, 4<<10)
		for !strings.Contains(seen.String(), text) {
			n, err := keyboard.Read(part)
			seen.Write(part[:n])
			if err != nil {
				t.Fatalf("%v before %q:\n%q", err, text, seen.String())
			}
		}
		before, after, _ := strings.Cut(seen.String(), text)
		t.Logf("%s%s", before, text)
		seen.Reset()
		seen.WriteString(after)
	}
	press := func(keys string) {
		if _, err := keyboard.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	until("Journey. Ask, or :help.")
	until("> ")
	press("how long for 150 miles at 60 mph?\r")
	until("\x1b[1mtime = 2.50 h\x1b[0m")
	until("> ")
	resize(20)
	press("and at 75?\r")
	until("distance = 150 mi…")
	until("> ")
	press("\x1b[A\x1b[A\r") // the line before the last one
	until("time = 2.50 h")
	until("> ")
	press("distance: 1,23 mi\\\r")
	until("… ")
	press("speed: 60 mi/h\r")
	until("  2  123")
	until("> ")
	press("2\r")
	until("time = 2.05 h")
	until("> ")
	resize(40)
	press(":help\r")
	until("  :why               how the last answer\r\n                     came about\r\n")
	until("> ")
	press("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-D: %v", err)
	}
}
