package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/events"
)

type benchCommand struct {
	URL      string  `help:"Measure the server at this address instead of one of its own." and:"remote" placeholder:"URL"`
	Key      string  `help:"API key for --url." and:"remote" placeholder:"KEY"`
	Domain   string  `help:"Id of a published domain for --url." and:"remote" placeholder:"ID"`
	Prompt   string  `help:"File with what is asked, in structured text; {n} stands for a number that changes. What is asked without it suits the starter domain 'Electricity bill'." type:"existingfile" placeholder:"FILE"`
	Nodes    int     `help:"Measure three nodes of a cluster on this machine beside one, and nothing else: 1 or 3 (${default})." default:"1" placeholder:"N"`
	Callers  []int   `help:"How many callers ask at once, each waiting for its answer (${default})." default:"1,16,64,256" placeholder:"N"`
	Seconds  float64 `help:"How long each thing is measured, in all rounds together (${default})." default:"1.5" placeholder:"N"`
	Messages int     `help:"Length of a long conversation (${default})." default:"1000" placeholder:"N"`
	Scratch  string  `help:"Where its temporary directory is made (the system's). What is measured is the disk below." type:"path" placeholder:"DIR"`
	JSON     bool    `help:"Print JSON."`
}

func (*benchCommand) Help() string {
	return `Calculations and reads are measured beside what the machine itself allows, in turns, so that noise of the machine hits both: two publishes that depend on each other, as the log does them and with a sync for each message; reads of a bucket; appends to a file. All numbers are medians of three rounds (nine for an account beside another one), ratios those of one round.

What is read does not change while it is read, neither the bucket's document nor conversations and list, which the server keeps as it answered them last; it still authenticates each request and looks whether anything has changed. Only the long conversation is changed before each reading. The bucket is read within this process, as the server reads its own; what callers, connections and HTTP cost is in the service's numbers alone.

Without --url a server of its own starts in a temporary directory, which takes up to 1 GB. With --url the floors are still those of this machine and of --scratch. Conversations stay behind in the account of the key.

Examples:
  reckon bench
  reckon bench --nodes 3 --callers 1,16,64
  reckon bench --callers 64 --seconds 6 --scratch /var/lib --json
  reckon bench --url http://127.0.0.1:8080 --key "$KEY" --domain 06997cbc-3d9f-5c93-aad8-649b70c0e31a`
}

// rounds is how often everything is measured.
const rounds = 3

// bench is a measurement under way.
type bench struct {
	benchCommand
	service *service
	heavy   *service // of an account that calculates heavily, nil where there is none
	floor   *floor
	prober  *prober // nil where the log cannot be reached
	recent  []string
	shown   *progressLine

	warm, length time.Duration // of one round of one thing
	used         time.Duration // of processor time by callers of the service
	asked        uint64        // by them
}

func (c *benchCommand) Run(t terminal) (failed error) {
	if err := c.check(); err != nil {
		return err
	}
	dir, remove, err := scratch(c.Scratch)
	if err != nil {
		return err
	}
	collectLess() // the floors are those of a process that is set like the service's
	moreProcessors()
	b := &bench{benchCommand: *c, shown: newProgressLine(t, false, "events")}
	b.length = time.Duration(c.Seconds / rounds * float64(time.Second))
	b.warm = b.length / 5
	defer func() {
		b.shown.end()
		failed = errors.Join(failed, remove())
		if t.Err() != nil {
			failed = errors.New("interrupted")
		}
	}()
	if c.Nodes == clusterSize {
		return b.compare(t, dir)
	}
	if c.URL == "" {
		stop, err := b.serve(t, filepath.Join(dir, "service"))
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, stop()) }()
	}
	r, err := b.measure(t, dir)
	if err != nil {
		return err
	}
	b.shown.end()
	return r.print(t, c.JSON)
}

// serve starts a server to measure and reaches its log.
func (b *bench) serve(t terminal, data string) (stop func() error, err error) {
	b.shown.say("starting a server")
	own, err := startServer(t, data)
	if err != nil {
		return nil, err
	}
	b.URL, b.Key, b.Domain = own.url, own.secret, own.domain.String()
	base, err := url.Parse(own.url)
	if err != nil {
		return nil, errors.Join(err, own.stop())
	}
	b.heavy = &service{base: base, key: own.heavy, domain: own.heavyDomain.String()}
	if b.prober, err = joinServer(t, data); err != nil {
		return nil, errors.Join(err, own.stop())
	}
	return func() error { return errors.Join(b.prober.log.Close(), own.stop()) }, nil
}

// check looks at the flags.
func (c *benchCommand) check() error {
	if len(c.Callers) == 0 || slices.Min(c.Callers) < 1 || slices.Max(c.Callers) > 4096 {
		return fmt.Errorf("--callers: give numbers from 1 to 4096, such as 1,16,64")
	}
	slices.Sort(c.Callers)
	c.Callers = slices.Compact(c.Callers)
	if !(c.Seconds >= 0.01 && c.Seconds <= 3600) {
		return fmt.Errorf("--seconds %v: give 0.01 to 3600", c.Seconds)
	}
	if c.Nodes != 1 && c.Nodes != clusterSize || c.Nodes != 1 && c.URL != "" {
		return fmt.Errorf("--nodes %d: give 1 or %d, and leave out --url", c.Nodes, clusterSize)
	}
	if c.Messages < 1 || c.Messages > 100_000 {
		return fmt.Errorf("--messages %d: give 1 to 100000", c.Messages)
	}
	return nil
}

// measure prepares what is asked and measures everything.
func (b *bench) measure(t terminal, dir string) (r *benchReport, err error) {
	b.shown.say("asking first questions")
	prompt := []byte(benchPrompt)
	if b.Prompt != "" {
		if prompt, err = os.ReadFile(b.Prompt); err != nil {
			return nil, err
		}
	}
	if b.service, err = newService(t, b.URL, b.Key, b.Domain, string(prompt)); err != nil {
		return nil, err
	}
	command, event, err := b.published()
	if err != nil {
		return nil, err
	}
	if b.floor, err = openFloor(t, filepath.Join(dir, "floor"), command, b.service.document, event); err != nil {
		return nil, fmt.Errorf("open the floor: %w", err)
	}
	defer func() { err = errors.Join(err, b.floor.close()) }()
	err = b.service.converse(t, min(longOnes, slices.Max(b.Callers)), b.Messages, func(done, of int) {
		b.shown.say(fmt.Sprintf("making long conversations: %s of %s messages", grouped(uint64(done)), grouped(uint64(of))))
	})
	if err != nil {
		return nil, err
	}
	works, err := b.works()
	if err != nil {
		return nil, err
	}
	r = newReport(b)
	for round := range rounds {
		if err := b.round(t, r, round, works); err != nil {
			return nil, err
		}
	}
	r.finish()
	if err := b.lag(t, r); err != nil {
		return nil, err
	}
	b.shown.say("an account beside another one's heavy calculations")
	if err := b.fairness(t, r); err != nil {
		return nil, err
	}
	r.judge()
	return r, nil
}

// published are a command and an event as the service publishes them for the first prompt.
func (b *bench) published() (command []byte, event events.MessageCompleted, err error) {
	domain, err := uuid.Parse(b.Domain)
	if err != nil {
		return nil, event, err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	prompt := b.service.structured[0]
	command, err = json.Marshal(commands.Calculate{
		Type: "calculate", AccountID: uuid.New(), KeyID: uuid.New(), ConversationID: uuid.New(), MessageID: uuid.New(),
		Fingerprint: fmt.Sprintf("%064x", 0), DomainID: domain, DomainVersion: 1, InputFormat: "structured", Prompt: prompt,
		ReceivedAt: now, Now: now, TimeZone: "UTC",
	})
	event = events.MessageCompleted{
		Message: events.Message{
			ConversationID: uuid.New(), MessageID: uuid.New(), KeyID: uuid.New(), Source: "api", InputFormat: "structured",
			Prompt: prompt, Domain: events.DomainRef{ID: domain, Version: 1}, ReceivedAt: now, Now: now, TimeZone: "UTC",
		},
		Parsed: json.RawMessage(b.service.objects[0]), StructuredText: &prompt, Results: *b.service.first.Results,
		Targets: []events.Target{},
	}
	return command, event, err
}

// work is one thing that is measured.
type work struct {
	key, title string
	section    section
	floor      bool   // it is what others are compared with
	only       int    // the one number of callers it is measured at; 0 is all
	judged     bool   // goals apply to it
	fresh      string // the work that does the same in new conversations
	prepare    func(ctx context.Context, caller int) (step, func(), error)
}

// section is a part of the report.
type section int

const (
	calculations section = iota
	reads
	comparisons // of three nodes with one
)

// works are all things that are measured, in the order in which a round takes them: floors stand between what is compared with
// them.
func (b *bench) works() ([]work, error) {
	encoded, err := events.Encode(b.floor.newEvent())
	if err != nil {
		return nil, err
	}
	bare := func(do step) func(context.Context, int) (step, func(), error) {
		return func(context.Context, int) (step, func(), error) { return do, func() {}, nil }
	}
	asking := func(requests [][]byte) func(context.Context, int) (step, func(), error) {
		return func(ctx context.Context, caller int) (step, func(), error) {
			return b.service.caller(ctx, caller*variants/16, b.warm+b.length, requests)
		}
	}
	going := func(format string, prompts []string) func(context.Context, int) (step, func(), error) {
		requests := make([][][]byte, len(b.service.long))
		for i, id := range b.service.long {
			requests[i] = b.service.questions(format, prompts, []string{id})
		}
		return func(ctx context.Context, caller int) (step, func(), error) {
			return b.service.caller(ctx, caller, b.warm+b.length, requests[caller%len(requests)])
		}
	}
	// The recent conversations are others in each round.
	reading := func(suffix string) func(context.Context, int) (step, func(), error) {
		return func(ctx context.Context, caller int) (step, func(), error) {
			var paths []string
			for i := range b.recent {
				paths = append(paths, "/v1/conversations/"+b.recent[(i+caller)%len(b.recent)]+suffix)
			}
			return b.service.caller(ctx, 0, b.warm+b.length, b.service.gets(paths...))
		}
	}
	// Each reading of the long conversation follows a calculation in it, so that its answer is a new one.
	rereading := func(ctx context.Context, caller int) (step, func(), error) {
		asked := false
		ask := b.service.questions("structured", b.service.structured[:1], []string{b.service.still})
		do, end, err := b.service.caller(ctx, 0, b.warm+b.length, append(ask, b.service.gets("/v1/conversations/"+b.service.still)...))
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
		{key: "log_publishes", title: "two publishes, as the log does", floor: true, prepare: bare(b.floor.publishLogged)},
		{key: "structured_fresh", title: "structured text, new conversation", judged: true, prepare: asking(s.questions("structured", s.structured, nil))},
		{key: "json_fresh", title: "JSON, new conversation", judged: true, prepare: asking(s.questions("json", s.objects, nil))},
		{key: "synced_publishes", title: "two publishes, a sync each", floor: true, prepare: bare(func(ctx context.Context) error {
			return b.floor.publishSynced(ctx, encoded)
		})},
		{key: "structured_long", title: "structured text, long conversation", fresh: "structured_fresh", prepare: going("structured", s.structured)},
		{key: "json_long", title: "JSON, long conversation", fresh: "json_fresh", prepare: going("json", s.objects)},
		{key: "detail", title: "conversation", section: reads, judged: true, prepare: reading("")},
		{key: "context", title: "its scenarios", section: reads, judged: true, prepare: reading("/context")},
		{key: "bucket", title: "bare read of a bucket", section: reads, floor: true, prepare: bare(b.floor.readBucket)},
		{key: "list", title: "list of conversations", section: reads, judged: true, prepare: asking(s.gets("/v1/conversations"))},
		{key: "long_detail", title: "long conversation, changed", section: reads, only: 1, prepare: rereading},
	}, nil
}

// round measures everything once.
func (b *bench) round(ctx context.Context, r *benchReport, round int, works []work) error {
	appends, err := load{callers: 1, warm: b.warm, length: b.length}.run(ctx, func(context.Context, int) (step, func(), error) {
		return b.floor.appendFile, func() {}, nil
	})
	if err != nil {
		return err
	}
	r.appends = append(r.appends, appends.latencies.quantile(0.5))
	if b.recent, err = b.service.recent(ctx); err != nil {
		return err
	}
	callers := b.Callers
	if !slices.Contains(callers, 1) {
		callers = append([]int{1}, callers...)
	}
	for _, n := range callers {
		for _, w := range works {
			if w.only != n && (w.only != 0 || !slices.Contains(b.Callers, n)) {
				continue
			}
			b.shown.say(fmt.Sprintf("round %d of %d, callers %d: %s", round+1, rounds, n, w.title))
			before := processorTime()
			s, err := load{callers: n, warm: b.warm, length: b.length}.run(ctx, w.prepare)
			if err != nil {
				return fmt.Errorf("%s, callers %d: %w", w.title, n, err)
			}
			if !w.floor {
				b.used += processorTime() - before
				b.asked += s.steps
			}
			r.add(w, n, s)
		}
	}
	return nil
}

// lag measures at half of what the service can do how long the fold takes to pass an event, and how long the same takes
// when nothing else happens. A read waits until the fold has passed all that was in the log when it came, so the time from an
// event's acknowledgement to the answer of a read that was sent then holds the lag, and the read's own time on top. Where the log is
// not at hand, the time of the read stands for it.
func (b *bench) lag(ctx context.Context, r *benchReport) error {
	most := r.row("structured_fresh", b.typical())
	half := most.PerSecond / 2
	requests := b.service.questions("structured", b.service.structured, nil)
	length := b.length * rounds
	b.shown.say("projection lag")
	idle, err := b.probe(ctx, length/4)
	if err != nil {
		return err
	}
	var loaded *sample
	var all sync.WaitGroup
	var failed error
	if half > 0 {
		all.Go(func() {
			l := load{callers: most.Callers, warm: b.warm, length: length, pace: time.Duration(float64(most.Callers) / half * float64(time.Second))}
			loaded, failed = l.run(ctx, func(ctx context.Context, caller int) (step, func(), error) {
				return b.service.caller(ctx, caller, b.warm+length, requests)
			})
		})
	}
	busy, err := b.probe(ctx, b.warm+length)
	all.Wait()
	if err := errors.Join(err, failed); err != nil {
		return fmt.Errorf("projection lag: %w", err)
	}
	r.Lag = lagReport{From: "append", Callers: most.Callers, Probes: busy.count, IdleP50: micros(idle.quantile(0.5)),
		P50: micros(busy.quantile(0.5)), P99: micros(busy.quantile(0.99)), P999: micros(busy.quantile(0.999))}
	if b.prober == nil {
		r.Lag.From = "read"
	}
	if loaded != nil {
		r.Lag.PerSecond = loaded.perSecond
	}
	return nil
}

// typical is the number of callers that goals are about, or the nearest below that is measured.
func (b *bench) typical() int {
	n := b.Callers[0]
	for _, callers := range b.Callers {
		if callers <= goalCallers {
			n = callers
		}
	}
	return n
}

// probeEvery is the time between probes of the lag.
const probeEvery = 5 * time.Millisecond

// probe appends an event and reads, again and again for some time.
func (b *bench) probe(ctx context.Context, length time.Duration) (*histogram, error) {
	do, end, err := b.service.caller(ctx, 0, length, b.service.gets("/v1/conversations?limit=1"))
	if err != nil {
		return nil, err
	}
	defer end()
	h := &histogram{}
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for until := time.Now().Add(length); h.count == 0 || time.Now().Before(until); {
		if b.prober != nil {
			if err := b.prober.append(ctx); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		if err := do(ctx); err != nil {
			return nil, err
		}
		h.record(time.Since(start))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
	return h, nil
}

// processorTime is what this process has used of processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
