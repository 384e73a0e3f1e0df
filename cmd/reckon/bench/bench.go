// Package bench measures a running service beside what the machine itself allows: publishes to a
// log and reads of a bucket without engine and HTTP, and appends to a file. It starts servers of
// its own, as processes of the program it is part of, or measures one that runs already.
package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// Options say what is measured. The tags are for the command line.
type Options struct {
	URL      string  `help:"Measure the server at this address instead of one of its own." and:"remote" placeholder:"URL"`
	Key      string  `help:"API key for --url." and:"remote" placeholder:"KEY"`
	Domain   string  `help:"Id of a published domain for --url." and:"remote" placeholder:"ID"`
	Prompt   string  `help:"File with what is asked, in structured text; {n} stands for a number that changes. What is asked without it suits the starter domain 'Electricity bill'." type:"existingfile" placeholder:"FILE"`
	Nodes    int     `help:"Measure three nodes of a cluster on this machine beside one, and nothing else: 1 or 3 (${default})." default:"1" placeholder:"N"`
	Callers  []int   `help:"How many callers ask at once, each waiting for its answer (${default})." default:"1,16,64,256" placeholder:"N"`
	Seconds  float64 `help:"How long each thing is measured, in all rounds together (${default})." default:"1.5" placeholder:"N"`
	Messages int     `help:"Length of a long conversation (${default})." default:"1000" placeholder:"N"`
	Scratch  string  `help:"Where its temporary directory is made (the system's). What is measured is the disk below." type:"path" placeholder:"DIR"`
}

// rounds is how often everything is measured.
const rounds = 3

// bench is a measurement under way.
type bench struct {
	Options
	say     func(line string) // shows what is measured
	service *service
	floor   *floor
	prober  *prober  // nil where the log cannot be reached
	recent  []string // ids of conversations that are read
	long    []string // of long ones that callers go on with
	still   string   // of a long one that one caller reads

	warm, length time.Duration // of one round of one thing
}

// Run measures what the options say, and tells say what it is at. version is the program's. What it
// starts and writes is gone when it returns.
func Run(ctx context.Context, o Options, version string, say func(line string)) (r *Report, failed error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(o.Scratch, "reckon-bench-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the measurement: %w", err)
	}
	defer func() { failed = errors.Join(failed, os.RemoveAll(dir)) }()
	b := &bench{Options: o, say: say, length: time.Duration(o.Seconds / rounds * float64(time.Second))}
	b.warm = b.length / 5
	r = newReport(o, version)
	if o.Nodes == clusterSize {
		return r, b.compare(ctx, r, dir)
	}
	if o.URL == "" {
		b.say("starting a server")
		own := &side{}
		defer func() { failed = errors.Join(failed, own.close()) }()
		if err := own.open(ctx, dir, 1); err != nil {
			return nil, err
		}
		b.URL, b.Key, b.Domain = own.servers[0].url, own.servers[0].secret, own.servers[0].domain
		if b.prober, err = newProber(ctx, own.logs[0]); err != nil {
			return nil, err
		}
	}
	return r, b.measure(ctx, r, dir)
}

// check looks at the options and sorts them.
func (o *Options) check() error {
	if len(o.Callers) == 0 || slices.Min(o.Callers) < 1 || slices.Max(o.Callers) > 4096 {
		return fmt.Errorf("--callers: give numbers from 1 to 4096, such as 1,16,64")
	}
	slices.Sort(o.Callers)
	o.Callers = slices.Compact(o.Callers)
	if !(o.Seconds >= 0.01 && o.Seconds <= 3600) {
		return fmt.Errorf("--seconds %v: give 0.01 to 3600", o.Seconds)
	}
	if o.Nodes != 1 && o.Nodes != clusterSize || o.Nodes != 1 && o.URL != "" {
		return fmt.Errorf("--nodes %d: give 1 or %d, and leave out --url", o.Nodes, clusterSize)
	}
	if o.Messages < 1 || o.Messages > 100_000 {
		return fmt.Errorf("--messages %d: give 1 to 100000", o.Messages)
	}
	return nil
}

// measure prepares what is asked and measures everything.
func (b *bench) measure(ctx context.Context, r *Report, dir string) (err error) {
	b.say("asking first questions")
	prompt := []byte(ownPrompt)
	if b.Prompt != "" {
		if prompt, err = os.ReadFile(b.Prompt); err != nil {
			return err
		}
	}
	if b.service, err = newService(ctx, b.URL, b.Key, b.Domain, string(prompt)); err != nil {
		return err
	}
	if err := b.openFloor(ctx, dir); err != nil {
		return fmt.Errorf("open the floor: %w", err)
	}
	defer func() { err = errors.Join(err, b.floor.close()) }()
	if err := b.converse(ctx); err != nil {
		return err
	}
	for round := range rounds {
		if err := b.round(ctx, r, round); err != nil {
			return err
		}
	}
	r.finish()
	if err := b.lag(ctx, r); err != nil {
		return err
	}
	if b.prober != nil {
		if err := b.fairness(ctx, r); err != nil {
			return err
		}
	}
	r.judge()
	return nil
}

// converse makes the long conversations: those that callers go on with, and one that is read.
func (b *bench) converse(ctx context.Context) error {
	ids := make([]string, min(longOnes, slices.Max(b.Callers))+1)
	errs := make([]error, len(ids))
	b.say(fmt.Sprintf("making %s of %s", counted(len(ids), "conversation"), counted(b.Messages, "message")))
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() { ids[i], errs[i] = b.service.conversation(ctx, b.Messages) })
	}
	all.Wait()
	b.still, b.long = ids[0], ids[1:]
	return errors.Join(errs...)
}

// work is one thing that is measured.
type work struct {
	key, title string
	section    section
	only       int  // the one number of callers it is measured at; 0 is all
	judged     bool // goals apply to it
	prepare    prepare
}

// section is a part of the report.
type section int

const (
	calculations section = iota
	reads
	comparisons // of three nodes with one
)

// works are all things that are measured, in the order in which a round takes them: floors stand
// between what is compared with them.
func (b *bench) works() []work {
	asking := func(requests [][]byte) prepare { return b.service.callers(b.warm+b.length, requests) }
	going := func(ctx context.Context, caller int) (step, func(), error) {
		requests := b.service.questions("structured", b.service.structured, b.long[caller%len(b.long)])
		return b.service.caller(ctx, caller, b.warm+b.length, requests)
	}
	// The recent conversations are others in each round.
	reading := func(suffix string) prepare {
		return func(ctx context.Context, caller int) (step, func(), error) {
			var paths []string
			for i := range b.recent {
				paths = append(paths, "/v1/conversations/"+b.recent[(i+caller)%len(b.recent)]+suffix)
			}
			return b.service.caller(ctx, 0, b.warm+b.length, b.service.gets(paths...))
		}
	}
	// Each reading of the long conversation follows a calculation in it, so that its answer is a new
	// one.
	rereading := func(ctx context.Context, caller int) (step, func(), error) {
		asked := false
		ask := b.service.questions("structured", b.service.structured[:1], b.still)
		do, end, err := b.service.caller(ctx, 0, b.warm+b.length, append(ask, b.service.gets("/v1/conversations/"+b.still)...))
		return func(ctx context.Context) error {
			err := do(ctx)
			if asked = !asked; asked && err == nil {
				err = errUnmeasured
			}
			return err
		}, end, err
	}
	s := b.service
	return []work{
		{key: "log_publishes", title: "two publishes, as the log does", prepare: bare(b.floor.publication.logged(b.floor.log))},
		{key: "structured_fresh", title: "structured text, new conversation", judged: true, prepare: asking(s.questions("structured", s.structured, ""))},
		{key: "json_fresh", title: "JSON, new conversation", judged: true, prepare: asking(s.questions("json", s.objects, ""))},
		{key: "synced_publishes", title: "two publishes, a sync each", prepare: bare(b.floor.publication.bare(b.floor.synced, ""))},
		{key: "structured_long", title: "structured text, long conversation", prepare: going},
		{key: "detail", title: "conversation", section: reads, judged: true, prepare: reading("")},
		{key: "context", title: "its scenarios", section: reads, judged: true, prepare: reading("/context")},
		{key: "bucket", title: "bare read of a bucket", section: reads, prepare: bare(b.floor.readBucket)},
		{key: "list", title: "list of conversations", section: reads, judged: true, prepare: asking(s.gets("/v1/conversations"))},
		{key: "long_detail", title: "long conversation, changed", section: reads, only: 1, prepare: rereading},
	}
}

// round measures everything once.
func (b *bench) round(ctx context.Context, r *Report, round int) error {
	appends, err := load{callers: 1, warm: b.warm, length: b.length}.run(ctx, bare(b.floor.appendFile))
	if err != nil {
		return err
	}
	r.appends = append(r.appends, micros(appends.quantile(0.5)))
	if b.recent, err = b.service.recent(ctx); err != nil {
		return err
	}
	callers := b.Callers
	if !slices.Contains(callers, 1) {
		callers = append([]int{1}, callers...)
	}
	for _, n := range callers {
		for _, w := range b.works() {
			if w.only != n && (w.only != 0 || !slices.Contains(b.Callers, n)) {
				continue
			}
			if err := b.one(ctx, r, round, n, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// one measures one thing once.
func (b *bench) one(ctx context.Context, r *Report, round, callers int, w work) error {
	b.say(fmt.Sprintf("round %d of %d, callers %d: %s", round+1, rounds, callers, w.title))
	s, err := load{callers: callers, warm: b.warm, length: b.length}.run(ctx, w.prepare)
	if err != nil {
		return fmt.Errorf("%s, callers %d: %w", w.title, callers, err)
	}
	r.add(w, callers, s)
	return nil
}
