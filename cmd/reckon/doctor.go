package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reckon/commands"
	"reckon/commands/model"
	"reckon/commands/nodes"
	"reckon/events/backup"
	"reckon/events/log"
	"reckon/http/metrics"
)

// doctorCommand takes what serve takes, so that it judges the settings that a server has.
type doctorCommand struct {
	serveCommand
	Server string `help:"Address of a server to ask from here, with the token of 'reckon login' or of RECKON_TOKEN." placeholder:"URL"`
	JSON   bool   `help:"Print JSON."`
}

func (*doctorCommand) Help() string {
	return `Says what is unwise of a server, of its settings, its data directory and its machine, and what to do about it. It changes nothing.

Where a server runs on the data directory, or --server names one, it is asked what it finds of itself, of the settings that it was started with, and so are the other nodes. Where none runs, the flags, RECKON_… variables and --config file of 'reckon serve' are judged, before a server is started with them: give the command as the user that it will run as.

The exit status is 0 where nothing but notes is found, 1 for a warning, 2 for what is critical, such as what keeps a server from starting.

Examples:
  reckon doctor --data /var/lib/reckon
  reckon doctor --server https://reckon.example.com
  sudo -u reckon reckon doctor --data /var/lib/reckon --listen 0.0.0.0:8080 --json`
}

// examinations are all that is looked at, in the order in which it is told.
var examinations = []struct {
	about string
	look  func(*doctorCommand) []nodes.Advice
	state bool // what the state of the nodes tells too
}{
	{"directory", (*doctorCommand).directory, false},
	{"disk", (*doctorCommand).disk, true},
	{"sync", (*doctorCommand).sync, false},
	{"backup", (*doctorCommand).backup, true},
	{"nodes", (*doctorCommand).nodes, false},
	{"certificates", (*doctorCommand).credentials, true},
	{"address", (*doctorCommand).addresses, false},
	{"console", (*doctorCommand).console, false},
	{"model", (*doctorCommand).model, false},
	{"files", (*doctorCommand).files, false},
	{"memory", (*doctorCommand).memory, false},
	{"clock", (*doctorCommand).clock, false},
	{"settings", (*doctorCommand).settings, false},
}

func (c *doctorCommand) Run(t terminal) error {
	list, running, err := c.running(t)
	if err != nil {
		return err
	}
	if !running {
		list = append(list, c.examine(false)...)
	}
	err = statusOf(list)
	if c.JSON {
		return errors.Join(printJSON(t, list), err)
	}
	if len(list) == 0 {
		fmt.Fprintln(t.out, "Nothing is unwise, as far as can be seen from here.")
	}
	printAdvice(t.out, list)
	return err
}

// running is what a server that runs says of itself, and whether there is one that does. One on the
// data directory that does not answer is found so, and the flags are judged.
func (c *doctorCommand) running(t terminal) (list []nodes.Advice, running bool, err error) {
	if c.Server == "" {
		if idle, err := (directory{Data: c.Data}).idle(); idle || err != nil {
			return nil, false, nil // what is wrong with the directory is told with the rest
		}
	}
	err = installation{c.serveCommand.directory, c.Server}.ask(t, func(a administration) error {
		all, err := fetch[nodes.Installation](a, "nodes")
		if running = err == nil && all.This.Started != nil; running {
			list = append(nodes.Advise(all, cmp.Or(c.Server, c.Data), nodes.BackupAge, time.Now()), nodes.Settings(all)...)
		}
		return err
	})
	if err != nil && c.Server == "" && t.Err() == nil {
		list = found(critical, "The server does not say how it is: "+err.Error()+".", "Its log says more. What follows is of the flags of this command.")
		list[0].About, err = "server", nil
	}
	return list, running, err
}

// examine is what is found, or, besides the state of its nodes, what is to be known of a server.
func (c *doctorCommand) examine(besides bool) []nodes.Advice {
	list := []nodes.Advice{}
	for _, e := range examinations {
		if besides && e.state {
			continue
		}
		for _, a := range e.look(c) {
			a.About = e.about
			list = append(list, a)
		}
	}
	return list
}

// found is a list of one.
func found(level, says, do string) []nodes.Advice {
	return []nodes.Advice{{Level: level, Says: says, Do: do}}
}

func (c *doctorCommand) directory() []nodes.Advice {
	info, err := os.Stat(c.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found(critical, "There is no data directory "+c.Data+".", "Name that of your server with --data; a first server makes it.")
	case err != nil:
		return found(critical, "The data directory "+c.Data+" cannot be looked at: "+err.Error()+".", "Give the command as the user that the server runs as.")
	case !info.IsDir():
		return found(critical, c.Data+" is a file and no data directory.", "Name a directory with --data.")
	}
	var list []nodes.Advice
	if open := info.Mode().Perm() & 0o077; open != 0 && os.Getuid() >= 0 { // Windows has no such bits
		list = found(warning, fmt.Sprintf("Others than its owner may open the data directory %s (mode %04o).", c.Data, info.Mode().Perm()),
			"It holds what callers sent, and what lets into the log: chmod 700 "+quoted(c.Data)+".")
	}
	if os.Getuid() != 0 && ownerOf(info) != os.Getuid() {
		list = append(list, found(warning, "The data directory "+c.Data+" belongs to another user than this one.", "Give the command, and run the server, as its owner.")...)
	}
	if os.Getuid() == 0 {
		list = append(list, found(note, "It runs as root.", "A server needs no rights but those of its directory: run it as a user of its own, as cmd/reckon/reckon.service does.")...)
	}
	return list
}

// standing is the data directory, or what it will stand in.
func (c *doctorCommand) standing() string {
	dir := c.Data
	for dir != filepath.Dir(dir) && !isFolder(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

func (c *doctorCommand) disk() []nodes.Advice {
	free, total, err := commands.DiskSpace(c.standing())
	if err != nil {
		return found(warning, "How full the disk is cannot be seen: "+err.Error()+".", "Give the command as the user that the server runs as.")
	}
	list := nodes.OfDisk(c.Data, free, total)
	if c.KeepFree.Share == 0 || c.KeepFree.Bytes == 0 {
		list = append(list, found(warning, "Calculations fill the disk to its end (--keep-free).", "Leave it 5%,1GiB: erasing, administration and the stores themselves need some, and a disk that is full ends the server.")...)
	}
	return list
}

func (c *doctorCommand) sync() []nodes.Advice {
	switch {
	case len(c.NATSURL) > 0:
		return found(note, "It cannot be seen from here whether the existing NATS brings a message to the disk before it acknowledges it.",
			"Set 'sync_interval: always' in the jetstream section of its servers: without, a loss of power takes what was answered last.")
	case c.Cluster == "" && isFolder(c.Data) && !log.GroupCommits(c.Data):
		return found(note, "On the file system of "+c.Data+" each message is brought to the disk by itself.", "Put the data directory on ext4, where those that come together share a sync: it answers several times as much.")
	}
	return nil
}

func (c *doctorCommand) backup() []nodes.Advice {
	if !isFolder(c.Data) {
		return nil
	}
	b, known, err := backup.Last(c.Data)
	if err != nil {
		return found(warning, "When the last backup was made cannot be read: "+err.Error()+".", "Remove the file that is named; the next backup writes it again.")
	}
	var made *time.Time
	if known {
		made = &b.CreatedAt
	}
	return nodes.OfBackup(made, nodes.BackupAge, time.Now())
}

func (c *doctorCommand) nodes() []nodes.Advice {
	if c.Cluster == "" && len(c.NATSURL) == 0 {
		return found(note, "There is one node: while its machine is away nothing is answered, and what it loses is in backups alone.",
			"Three nodes go on without one of them: see CLUSTER.md.")
	}
	if err := c.clusterFlags.check(); err != nil {
		return found(critical, "The server does not start: "+err.Error()+".", "Give the flags as the message says.")
	}
	return nil
}

// secretFile says of a file that nobody else may read it.
func secretFile(file string) []nodes.Advice {
	info, err := os.Stat(file)
	switch {
	case file == "":
		return nil
	case err != nil:
		return found(critical, "The server does not start: "+err.Error()+".", "Name the file that is meant, as the user that the server runs as may read it.")
	case info.Mode().Perm()&0o077 != 0:
		return found(warning, fmt.Sprintf("Others may read the secret in %s (mode %04o).", file, info.Mode().Perm()), "chmod 600 "+quoted(file)+".")
	}
	return nil
}

func (c *doctorCommand) credentials() (list []nodes.Advice) {
	for _, file := range []string{c.ClusterTLSKey, c.ClusterSecretFile, c.OIDCSecretFile} {
		list = append(list, secretFile(file)...)
	}
	for _, file := range []string{c.ClusterTLSCert, c.ClusterTLSCA} {
		if file == "" {
			continue
		}
		until, err := endOf(file)
		if err != nil {
			list = append(list, found(critical, "A certificate cannot be read: "+err.Error()+".", "Name the file that is meant.")...)
			continue
		}
		list = append(list, nodes.OfCertificate(file, until, time.Now())...)
	}
	return list
}

// beyond tells whether an address is answered beyond this machine.
func beyond(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && !loopback(host)
}

func (c *doctorCommand) addresses() (list []nodes.Advice) {
	add := func(level, says, do string) { list = append(list, found(level, says, do)...) }
	if beyond(c.Listen) {
		add(warning, "Callers are answered on "+c.Listen+" without TLS: keys and prompts can be read on the way.", "Answer on this machine alone, with a proxy before it that ends TLS; or let nobody but the proxy reach the address.")
		if c.AdminListen == "" {
			add(note, "Administration is answered where callers are.", "Move it with --admin-listen 127.0.0.1:9000, where no caller comes.")
		}
		if c.Dev {
			add(critical, "--dev prints a key and keeps it, and is answered beyond this machine.", "Leave --dev out, and make accounts and keys with 'reckon account create' and 'reckon key create'.")
		}
	}
	if beyond(c.AdminListen) {
		add(warning, "Administration is answered on "+c.AdminListen+" without TLS.", "Give --admin-listen an address of this machine, with a proxy before it that ends TLS.")
	}
	switch address, err := metrics.Address(c.MetricsListen); {
	case c.MetricsListen == "":
		add(note, "Nobody can watch it: there is no --metrics-listen.", "Give it a port, such as --metrics-listen 9100: alerts and a dashboard are in http/metrics.")
	case err != nil:
		add(critical, "The server does not start: --metrics-listen "+err.Error()+".", "Give a port, such as 9100.")
	case beyond(address):
		add(warning, "Metrics and profiles are answered on "+address+" to whoever asks.", "Let nobody but those who watch reach that address, or give a port alone.")
	}
	if slices.Contains(c.CorsOrigin, "*") {
		add(note, "Pages of every origin may call the service from a browser (--cors-origin '*').", "Name the origins of your own pages, unless that is what you want.")
	}
	return list
}

func (c *doctorCommand) console() (list []nodes.Advice) {
	public := c.PublicURL.url
	switch {
	case c.Console == "off":
	case public == nil && (beyond(c.Listen) || beyond(c.AdminListen)):
		list = found(warning, "There is no console: a server beyond this machine has one only where it knows its address.", "Give --public-url https://…, or --console off.")
	case public != nil && len(c.TrustedProxy) == 0:
		list = found(warning, "All who come through the proxy count as one address, which can fail to sign in ten times.", "Name your proxy with --trusted-proxy.")
	}
	if _, err := c.provider(); err != nil {
		list = append(list, found(critical, "The server does not start: "+err.Error()+".", "Give the flags as the message says.")...)
	}
	return list
}

func (c *doctorCommand) model() []nodes.Advice {
	if c.LanguageMode == model.RulesOnly {
		return nil
	}
	_, err := model.New(model.Config{
		Mode: c.LanguageMode, URL: c.ModelURL, Name: c.ModelName, KeyVariable: c.ModelKeyVariable, AllowPrivate: c.ModelAllowPrivate, Budget: c.ModelBudget,
	}, nil)
	if err != nil {
		return found(critical, "The server does not start: "+err.Error()+".", "Give the flags as the message says.")
	}
	if strings.HasPrefix(c.ModelURL, "http://") && !loopbackURL(c.ModelURL) {
		return found(warning, "Prompts go to the language model without TLS.", "Give --model-url an https address, or put the model on this machine.")
	}
	return nil
}

func loopbackURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && loopback(u.Hostname())
}

// wantedFiles is how many file descriptors a server is well with: half of them are for connections.
const wantedFiles = 8192

func (c *doctorCommand) files() []nodes.Advice {
	most, ok := openFiles()
	if !ok || most >= wantedFiles {
		return nil
	}
	return found(warning, fmt.Sprintf("A process of this user may open %d files: a server has %d connections at most.", most, most/2),
		fmt.Sprintf("Allow %d and more: LimitNOFILE of systemd, ulimits of a container, ulimit -n of a shell.", wantedFiles))
}

// roomyMemory is what a container should have for a history of some 100,000 messages.
const roomyMemory = 512 << 20

func (c *doctorCommand) memory() []nodes.Advice {
	allowed, err := allowedMemory()
	switch {
	case err != nil && allowed > 0:
		return found(critical, "The server does not start: "+err.Error()+".", "Give the container more memory.")
	case allowed > 0 && allowed < roomyMemory:
		return found(warning, "The container allows "+nodes.Bytes(allowed)+" of memory: large bodies, connections and history have little of it.", "Give it "+nodes.Bytes(roomyMemory)+" or more; OPERATIONS.md says what takes how much.")
	}
	return nil
}

func (c *doctorCommand) clock() []nodes.Advice {
	if !adrift() {
		return nil
	}
	level := note
	if c.Cluster != "" {
		level = warning
	}
	return found(level, "Nothing keeps the clock of this machine right, as far as the kernel knows.",
		"Run chrony or systemd-timesyncd: dates, rates, limits by the month and certificates go by the clock.")
}

func (c *doctorCommand) settings() (list []nodes.Advice) {
	add := func(level, says, do string) { list = append(list, found(level, says, do)...) }
	if c.Scrub < 0 {
		add(warning, "Damage of the log is found at the next start at the earliest (--scrub off).", "Leave --scrub at 24h: it reads the files again with what the disk has left.")
	}
	if c.IdempotencyRetention > 3*24*time.Hour {
		add(note, "Idempotency keys are remembered for "+nodes.Span(c.IdempotencyRetention)+": each takes memory for that long, and time at a start after a kill.", "Remember them for as long as your callers send again, which is seldom more than 24h.")
	}
	if c.LogRequests == "off" {
		add(note, "Requests have no line in the log (--log-requests off).", "Choose 'errors' or 'sampled': refusals are hard to explain without.")
	}
	if os.Getenv("GOMAXPROCS") == "1" {
		add(warning, "GOMAXPROCS=1 has calculations and syncs wait for each other.", "Leave it out: the program goes by what a container may use.")
	}
	return list
}
