package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"reckon/commands"
	"reckon/commands/model"
	"reckon/commands/nodes"
	"reckon/events/log"
	"reckon/http"
	"reckon/http/admin"
	"reckon/http/console"
	"reckon/http/mcp"
	"reckon/http/webhooks"
	"reckon/projections"
)

type serveCommand struct {
	directory
	clusterFlags
	consoleFlags
	Listen               string        `help:"Address to answer on (${default})." default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	MetricsListen        string        `help:"Address for Prometheus (/metrics) and profiles (/debug/pprof/), which nobody needs a key for. A port alone is answered on this machine only." placeholder:"[HOST:]PORT"`
	AdminListen          string        `help:"Another address for /admin/v1 and the console, which else are answered beside /v1." placeholder:"HOST:PORT"`
	Dev                  bool          `help:"For trying it out: an account 'dev' with six starter domains and a key, printed with a line to paste. Only adds what is missing."`
	IdempotencyRetention time.Duration `help:"How long an Idempotency-Key is remembered, up to 720h (${default})." default:"24h" placeholder:"DURATION"`
	KeepFree             keepFree      `help:"How much of the data directory's disk calculations leave free: a share such as 5%, a size such as 512MiB, or both, of which the smaller one counts (${default})." default:"5%,1GiB" placeholder:"FREE"`
	Scrub                scrub         `help:"How often all files of the log are read again while the server runs, or 'off' (${default}). What has changed is damage." default:"24h" placeholder:"DURATION"`
	LanguageMode         string        `help:"Who reads prompts in prose: ${enum} (${default})." enum:"rules,rules-then-model,model-then-rules" default:"rules" placeholder:"MODE"`
	ModelURL             string        `help:"Where the language model is: any server that speaks OpenAI's chat completions. What comes before /chat/completions." name:"model-url" placeholder:"URL"`
	ModelName            string        `help:"The model's name, as its server knows it." placeholder:"NAME"`
	ModelKeyVariable     string        `help:"Name of the environment variable that holds the model's API key. Without, no key is sent." placeholder:"NAME"`
	ModelAllowPrivate    bool          `help:"Let the model's server be on this machine or in a private network, and do without TLS there."`
	ModelBudget          int           `help:"How many requests to the language model each account may cause in an hour, on each node; 0 for any number (${default}). After that the rules' answers and doubts stand." default:"1000" placeholder:"N"`
	WebhookAllowPrivate  bool          `help:"Let webhooks lead to this machine and to private networks, and do without TLS there."`
	CorsOrigin           []string      `help:"Origin whose pages may call the service from a browser, such as https://app.example.com, or * for all; several are several flags." placeholder:"ORIGIN"`
	LogLevel             string        `help:"Least level that is logged to standard error: ${enum} (${default})." enum:"debug,info,warn,error" default:"info" placeholder:"LEVEL"`
	LogRequests          string        `help:"Which requests have a line in the log: ${enum} (${default}). sampled is errors and one in a hundred others." enum:"all,errors,sampled,off" default:"all" placeholder:"WHICH"`
	LogFormat            string        `help:"Form of the log: ${enum} (${default})." enum:"text,json" default:"text" placeholder:"FORM"`
}

func (*serveCommand) Help() string {
	return `NATS with JetStream runs inside the process; its log and views live in the data directory, which one process at a time may hold. The other commands reach a running server through the same directory.

Every flag may come from a RECKON_… variable (RECKON_LISTEN, RECKON_DATA) or from the file of --config.

Prose is read by rules, offline. Two modes ask a language model too, which sees the domain, the last scenarios and the prompt; with rules-then-model only where the rules are in doubt. What it proposes counts only where the words of the prompt bear it out. It calculates nothing, and where it does not answer within 15 seconds the rules' answer or doubt stands. A model that has failed three times in a row is asked again after a minute, and an account that has used up --model-budget when the next hour begins.

Examples:
  reckon serve --dev
  reckon serve --data /var/lib/reckon --listen 127.0.0.1:9000 --log-format json
  reckon serve --language-mode rules-then-model --model-url https://api.openai.com/v1 --model-name gpt-4.1-mini --model-key-variable OPENAI_API_KEY
  reckon serve --language-mode rules-then-model --model-url http://127.0.0.1:11434/v1 --model-name llama3.1 --model-allow-private --model-budget 0`
}

// keepFree reads --keep-free.
type keepFree commands.Free

func (k *keepFree) UnmarshalText(text []byte) error {
	k.Share, k.Bytes = 1, math.MaxUint64
	for part := range strings.SplitSeq(string(text), ",") {
		number, share := strings.CutSuffix(part, "%")
		var bytes size
		n, err := strconv.ParseUint(number, 10, 20)
		if !share {
			err = bytes.UnmarshalText([]byte(part))
		}
		switch {
		case err != nil, share && n > 50:
			return fmt.Errorf("%q: give a share of at most 50%%, a size such as 512MiB or 2GiB, or both with a comma between", part)
		case share:
			k.Share = float64(n) / 100
		default:
			k.Bytes = uint64(bytes)
		}
	}
	return nil
}

// scrub reads --scrub.
type scrub time.Duration

func (s *scrub) UnmarshalText(text []byte) error {
	every, err := time.ParseDuration(string(text))
	switch {
	case string(text) == "off":
		every = -1
	case err != nil, every < time.Second:
		return fmt.Errorf("%q: give a duration such as 24h, of at least a second, or 'off'", text)
	}
	*s = scrub(every)
	return nil
}

// size reads a number of bytes.
type size int

func (s *size) UnmarshalText(text []byte) error {
	number, shift := string(text), 0
	for unit, by := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40} {
		if rest, ok := strings.CutSuffix(number, unit); ok {
			number, shift = rest, by
		}
	}
	n, err := strconv.ParseUint(number, 10, 20)
	if err != nil || shift == 0 && n != 0 {
		return fmt.Errorf("%q: give a size such as 512MiB or 2GiB, or 0", text)
	}
	*s = size(n << shift)
	return nil
}

// maxRetention is the longest that idempotency keys can be remembered.
const maxRetention = 30 * 24 * time.Hour

// Run opens what the service is made of in the order of dependence, and closes it in the opposite
// one: no request is begun that cannot be finished.
func (c *serveCommand) Run(t terminal) error {
	if c.IdempotencyRetention < time.Minute || c.IdempotencyRetention > maxRetention {
		return fmt.Errorf("--idempotency-retention %s: give 1m to 720h", c.IdempotencyRetention)
	}
	allowed, scarce := allowedMemory()
	if err := errors.Join(c.place(anotherPlace), scarce); err != nil {
		return err
	}
	logger := c.logger(t)
	listener, err := listenOn("--listen", c.Listen, logger)
	if err != nil {
		return err
	}
	defer listener.Close()
	ctx, stop := context.WithCancel(context.WithoutCancel(t))
	defer stop()
	var opened atomic.Pointer[log.Log]
	defer context.AfterFunc(t, func() {
		handOver(opened.Load(), logger)
		stop()
	})()
	served := make(chan error, 2)
	server := http.New(logger, version())
	server.Log(http.RequestLog(c.LogRequests))
	server.Fit(allowed)
	if err := server.AllowOrigins(c.CorsOrigin); err != nil {
		return fmt.Errorf("--cors-origin: %w", err)
	}
	spans, ended, err := c.spans(ctx, logger)
	if err != nil {
		return err
	}
	defer ended()
	server.Record(spans)
	servers, listeners := []*http.Server{server}, []net.Listener{listener}
	administers := ""
	if c.AdminListen != "" {
		aside, err := listenOn("--admin-listen", c.AdminListen, logger)
		if err != nil {
			return err
		}
		defer aside.Close()
		administers = "http://" + aside.Addr().String()
		servers, listeners = append(servers, http.NewAside(logger, version())), append(listeners, aside)
		servers[1].Log(http.RequestLog(c.LogRequests))
		servers[1].Fit(allowed)
		servers[1].Record(spans)
	}
	last := len(servers) - 1 // that of people and administration
	own := nodes.Own{Dir: c.Data, Certificates: c.certificates(), Work: &nodes.Work{}, Findings: func() []nodes.Advice {
		return (&doctorCommand{serveCommand: *c}).examine(true)
	}}
	administered := admin.New(own)
	post := webhooks.NewPost(c.WebhookAllowPrivate)
	administered.Send(post, c.WebhookAllowPrivate)
	servers[last].Mount(administered.Face())
	pages, public, err := c.consoleFlags.open(listeners[last].Addr(), logger, console.Config{Node: own, Post: post, Private: c.WebhookAllowPrivate})
	if err != nil {
		return err
	}
	administered.Links(public)
	if pages != nil {
		servers[last].Mount(pages.Face())
	}
	if shown := c.documentation(listener.Addr(), logger); shown != nil {
		for _, s := range servers {
			s.Mount(shown.Face())
		}
	}
	server.Mount(mcp.Face(server, version()))
	watched, err := c.watched(ctx, logger)
	if err != nil {
		return err
	}
	for i, s := range servers {
		go func() { served <- s.Serve(ctx, listeners[i]) }()
	}
	waits := func(what string) {
		for _, s := range servers {
			s.Waits(what)
		}
	}

	log, err := c.open(t, logger, waits)
	if err != nil {
		return unlessStopped(t, err)
	}
	defer func() { closed(logger, "log", log.Close()) }()
	opened.Store(log)
	waits("the views are being opened")
	tune(ctx, allowed)
	views, err := c.views(t, log, logger)
	if err != nil {
		return unlessStopped(t, err)
	}
	defer func() { closed(logger, "views", views.Close()) }()
	views.RunBy(version())
	saveMemory(ctx, views.Folding)
	service := commands.New(log, views, logger)
	service.Record(spans)
	if c.Data != "" {
		service.KeepFree(c.Data, commands.Free(c.KeepFree))
	}
	sender := webhooks.New(log, views, post, logger)
	if watched != nil {
		c.collect(watched.Registry, servers, log, views, service, sender)
	}
	if err := c.useModel(service, logger); err != nil {
		return err
	}

	working, stopWork := context.WithCancel(context.WithoutCancel(t))
	var work sync.WaitGroup
	defer work.Wait()
	defer stopWork()
	if log.Damaged() == nil {
		work.Go(func() { service.Run(working) })
		work.Go(func() { commands.NewRetention(log, views, logger).Run(working) })
		work.Go(func() { sender.Run(working) })
	}
	if err := administered.Open(log, views); err != nil {
		return err
	}
	if pages != nil {
		pages.Open(log, views, commands.NewAuthenticator(log, views), service)
		if err := c.tell(public); err != nil {
			return err
		}
	}
	for _, s := range servers {
		s.Open(views, service)
	}
	rest(ctx, views.Forget, server.Forget)

	if err := c.announce(t, log, views, "http://"+listener.Addr().String(), administers, public); err != nil && t.Err() == nil {
		logger.Error("not ready", "error", err)
		if c.Dev {
			return err
		}
	}
	broken := make(chan error, 1)
	go watch(ctx, log, views, broken)
	select {
	case err = <-served:
		stop()
		for range servers[1:] {
			err = cmp.Or(err, <-served)
		}
	case err = <-broken:
		// Without the log, all who wait for it are answered at once. The rest ends as if it were killed,
		// which loses nothing: work that cannot be written must not be waited for.
		ended := make(chan struct{})
		go func() {
			closed(logger, "log", log.Close())
			stop()
			for range servers {
				<-served
			}
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(brokenFor):
			logger.Warn("ending although the log or a request does not", "after", brokenFor)
		}
		fmt.Fprintf(t.err, "reckon: %v\n", err)
		startAgain(err)
		os.Exit(1)
	}
	return err
}

// brokenFor is how long a log that cannot be written and those who wait for it may take to end: a
// server that disables its store while it ends may wait for itself.
const brokenFor = 10 * time.Second

// listenOn listens on the address that a flag gives.
func listenOn(flag, address string, logger *slog.Logger) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (choose another address with %s)", address, err, flag)
	}
	if host, _, err := net.SplitHostPort(listener.Addr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		logger.Warn("listening beyond this machine without TLS: put a proxy that ends TLS before it", "address", listener.Addr().String())
	}
	return listener, nil
}

// startAgain has the program begin anew, as the same process, where the files of the log were found
// damaged while it ran. The start deals with that. It returns where the system cannot do it.
func startAgain(why error) {
	program, err := os.Executable()
	if errors.Is(why, log.ErrDamaged) && err == nil {
		_ = syscall.Exec(program, os.Args, os.Environ())
	}
}

// unlessStopped is nil for an error that only says that the program was stopped before it was
// ready: that is no failure.
func unlessStopped(t terminal, err error) error {
	if t.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// handOverFor is how long a node that is to stop goes on until the others of its cluster have what
// they need to go on without it.
const handOverFor = 5 * time.Second

// handOver waits for that. There may be no log yet.
func handOver(log *log.Log, logger *slog.Logger) {
	if log == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), handOverFor)
	defer cancel()
	if err := log.AwaitOthers(ctx); err != nil {
		logger.Warn("stopping although another node is behind", "error", err)
	}
}

// watch looks whether the log and the views can be written until ctx ends. A disk that was full or
// broken for a moment leaves stores behind that refuse everything; whoever supervises the program
// starts it again.
func watch(ctx context.Context, log *log.Log, views *projections.Views, broken chan<- error) {
	every(ctx, 500*time.Millisecond, func() {
		if err := errors.Join(log.Broken(), views.Broken()); err != nil {
			select {
			case broken <- err:
			default: // what came first is being dealt with
			}
		}
	})
}

// useModel has the service ask the language model that the flags name. The log says whether it
// does, and never the key.
func (c *serveCommand) useModel(service *commands.Service, logger *slog.Logger) error {
	m, err := model.New(model.Config{
		Mode: c.LanguageMode, URL: c.ModelURL, Name: c.ModelName, KeyVariable: c.ModelKeyVariable, AllowPrivate: c.ModelAllowPrivate, Budget: c.ModelBudget,
	}, logger)
	service.UseModel(m)
	switch {
	case err != nil:
	case c.LanguageMode != model.RulesOnly:
		logger.Info("prose is read with a language model", "mode", c.LanguageMode, "model", c.ModelName)
	case c.ModelURL != "":
		logger.Warn("a language model is configured and not asked: choose another --language-mode", "mode", c.LanguageMode)
	default:
		logger.Info("prose is read by the rules alone", "mode", c.LanguageMode)
	}
	return err
}

// open opens the log. A command of administration holds a directory for a moment only, so it is
// waited for; a running server is not.
func (c *serveCommand) open(t terminal, logger *slog.Logger, waiting func(string)) (*log.Log, error) {
	external, err := c.external()
	if err != nil {
		return nil, err
	}
	if external != nil && c.Cluster != "" {
		return nil, errors.New("--cluster and --nats-url exclude each other: with --cluster the nodes keep the log, with --nats-url an existing NATS does")
	}
	cluster, err := c.clusterFlags.options(logger)
	if err != nil {
		return nil, err
	}
	patience, cancel := context.WithTimeout(t, 3*time.Second)
	defer cancel()
	for {
		l, err := log.Open(t, log.Options{
			Dir: c.Data, IdempotencyRetention: c.IdempotencyRetention, Logger: logger, Cluster: cluster, External: external,
			ScrubEvery: time.Duration(c.Scrub), Waiting: waiting,
		})
		if errors.Is(err, log.ErrDamaged) && cluster == nil {
			logger.Error("what is whole is served, read only", "error", err)
			return log.OpenDamaged(t, log.Options{Dir: c.Data, IdempotencyRetention: c.IdempotencyRetention, Logger: logger})
		}
		if !errors.Is(err, log.ErrRunning) {
			return l, err
		}
		select {
		case <-patience.Done():
			return nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// views opens the views. Those of a damaged log that have not seen all of it are made of what is
// whole, elsewhere: they are wrong as soon as it is mended.
func (c *serveCommand) views(t terminal, l *log.Log, logger *slog.Logger) (*projections.Views, error) {
	views, err := projections.Open(t, l, c.Data, logger)
	if errors.Is(err, projections.ErrPartial) {
		logger.Error("what cannot be found may have been there: the views are made of what is whole of the log", "reason", err)
		return projections.OpenPartial(t, l, log.PartialDir(c.Data), logger)
	}
	return views, err
}

// logger writes to standard error.
func (c *serveCommand) logger(t terminal) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // one of the flag's enum
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(t.err, options))
	}
	return slog.New(slog.NewTextHandler(t.err, options))
}

func closed(logger *slog.Logger, what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		logger.Error("close "+what, "error", err)
	}
}

// announce waits until the views have caught up and can be read, adds what --dev adds, and says
// where the service is, and where it is administered if that is elsewhere. Links are made of the
// public address of the console, nil for none.
func (c *serveCommand) announce(t terminal, log *log.Log, views *projections.Views, url, aside string, public *url.URL) error {
	if err := views.CaughtUp(t); err != nil {
		return err
	}
	if err := log.Damaged(); err != nil {
		fmt.Fprintf(t.err, "Reckon %s serves on %s what is whole, read only: %v\n", version(), url, err)
		return nil
	}
	if aside != "" {
		fmt.Fprintf(t.out, "Administration answers on %s/admin/v1\n", aside)
	}
	if !c.Dev {
		err := views.Fresh(t)
		for !log.Alone() && errors.Is(err, projections.ErrBehind) {
			err = views.Fresh(t) // which takes 2 s to fail; the others may be choosing a leader
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "Reckon %s is ready on %s\n", version(), url)
		return nil
	}
	dev, err := prepareDev(t, commands.Admin{Log: log}, c.Data)
	if err != nil {
		return fmt.Errorf("prepare the account %q: %w", devAccount, err)
	}
	if err := views.Fresh(t); err != nil {
		return err
	}
	dev.print(t, url)
	if public == nil {
		return nil
	}
	return inviteDev(t, commands.Admin{Log: log}, c.Data, public)
}
