// Package http answers the REST interface: routes in one list, strict request bodies, body versions
// 1 and 2 of the answers, and one place that chooses the status code of a failure. Every request
// under /v1 is authenticated before anything else is looked at.
package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	nethttp "net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"reckon/commands"
	"reckon/projections"
)

// Limits of a connection. A request has the time of readTimeout to arrive; the answer to a
// calculation, which takes 12 seconds at most and 30 more where the caller prefers to wait, has the
// time of writeTimeout from then on.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 2 * time.Minute
	idleTimeout       = 2 * time.Minute
	stopTimeout       = 15 * time.Second

	// answerPiece is how much of an answer is written at once, and readerPatience how long the caller
	// may take to read that much.
	answerPiece    = 64 << 10
	readerPatience = 10 * time.Second
	// compressFrom is the length of an answer from which compressing it is worth the time.
	compressFrom = 16 << 10

	// headerLimit is what net/http is told; it reads 4 KiB beyond that before it answers 431, which
	// makes 32 KiB.
	headerLimit = 28 << 10
)

// Limits of what is in memory at once, for all accounts. One account has a quarter of it at most.
const (
	maxRequests = 4096
	maxBodies   = 64
	// bodyMemory is what one of them may take until it is collected: a body of 1 MiB, the buffer for
	// its canonical form, and what is put in order there. Of a memory that is limited an eighth is for
	// them.
	bodyMemory = 4 << 20
	// smallBody is the length up to which a body does not count.
	smallBody = 32 << 10
	// admissionPatience is how long a request waits for a place.
	admissionPatience = 5 * time.Second
	// bodyInFlight is how long what is sent of a body is taken in and dropped behind a refusal, so
	// that the caller sees the answer and not a broken connection.
	bodyInFlight = 200 * time.Millisecond
)

// Server answers requests. It is safe for concurrent use.
type Server struct {
	views     *projections.Views
	service   *commands.Service
	logger    *slog.Logger
	version   string
	list      []route
	router    *mux.Router
	resources map[string]resource // by path template
	faces     []Face
	answers   answers

	// What is bounded for each account and in all, before any of a body is read.
	requests *commands.FairSemaphore // that are being answered
	bodies   *commands.FairSemaphore // that are not small, and answers, in memory
	turns    *commands.FairSemaphore // of those, being taken apart or put together
	streams  *commands.FairSemaphore // of events, that are open
	memory   uint64                  // that the process is allowed; 0 for any

	open  atomic.Bool            // views and service are there and may be used
	waits atomic.Pointer[string] // what it waits for until then

	lines    requestLog
	measures *measures
	spans    commands.Spans
	rates    rates
	beat     time.Duration                         // after so much silence a stream of events says that it is there
	patience time.Duration                         // for who reads a piece of an answer
	origins  func(nethttp.Handler) nethttp.Handler // answers for pages of other origins; nil for none
	crossing *nethttp.CrossOriginProtection        // knows those pages; nil for all

	running context.Context // ends when Serve is to stop, so that those who only wait do not hold it up
	stop    context.CancelFunc
}

// New makes a Server that has nothing to answer from yet: /healthz says that the program runs, and
// which version of it, everything else is a 503 until Open.
func New(logger *slog.Logger, version string) *Server {
	s := newServer(logger, version, slices.Concat(routes, probes))
	s.faces = []Face{{Prefix: "/v1/", Vary: "Authorization, Body-Version", Admit: s.authenticate}}
	return s
}

// NewAside is New for a Server without /v1, which answers for what is mounted on it alone.
func NewAside(logger *slog.Logger, version string) *Server {
	return newServer(logger, version, probes)
}

func newServer(logger *slog.Logger, version string, list []route) *Server {
	s := &Server{
		logger: logger, version: version, answers: newAnswers(),
		requests: commands.NewFairSemaphore(maxRequests, maxRequests/4),
		turns:    commands.NewFairSemaphore(math.MaxInt, commands.Turns()),
		beat:     streamBeat, patience: readerPatience, crossing: nethttp.NewCrossOriginProtection(),
	}
	s.bound()
	s.list = list
	s.router, s.resources = table(list)
	s.lines.logger, s.lines.which = logger, LogAll
	s.measures = newMeasures()
	s.running, s.stop = context.WithCancel(context.Background())
	s.Waits("it is starting")
	return s
}

// Log says which requests have a line in the log, all of them unless it is called. It is called
// before Serve.
func (s *Server) Log(which RequestLog) { s.lines.which = which }

// Fit has what is in memory at once fit a process that is allowed so many bytes in all, 0 for any.
// It is called before Serve.
func (s *Server) Fit(memory uint64) {
	if memory == 0 {
		return
	}
	s.memory = memory
	s.bound()
}

// bound makes room for what is in memory at once.
func (s *Server) bound() {
	bodies, streams := maxBodies, min(maxStreams, max(1, boundsOf(s.memory).open/2))
	if s.memory > 0 {
		bodies = int(min(max(s.memory/8/bodyMemory, 1), maxBodies))
		streams = int(min(max(s.memory/16/streamMemory, 1), uint64(streams)))
	}
	s.bodies, s.streams = places(bodies), places(streams)
}

// places are so many places, of which an account has a quarter at most.
func places(n int) *commands.FairSemaphore { return commands.NewFairSemaphore(n, max(1, n/4)) }

// Waits says what the server waits for until Open; /readyz tells it.
func (s *Server) Waits(what string) { s.waits.Store(&what) }

// Open makes a Server answer everything. It is called once.
func (s *Server) Open(views *projections.Views, service *commands.Service) {
	s.views, s.service = views, service
	s.open.Store(true)
}

// Handler is the whole interface as a handler of net/http.
func (s *Server) Handler() nethttp.Handler {
	if s.origins != nil {
		return s.origins(nethttp.HandlerFunc(s.serve))
	}
	return nethttp.HandlerFunc(s.serve)
}

// Serve answers on a listener until ctx ends. Then it takes no new request, gives those that run 15
// seconds to finish (those that wait for prose are answered with how far it is), and returns nil,
// or an error when some had to be cut off. The listener is closed in any case.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limited := limitConnections(l, boundsOf(s.memory))
	s.measures.connections.Store(limited)
	return s.serveOn(ctx, limited)
}

func (s *Server) serveOn(ctx context.Context, limited *connections) error {
	server := &nethttp.Server{
		Handler:                      limited.handler(compressed(s.Handler())),
		DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout:            readHeaderTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               headerLimit,
		ConnContext:                  limited.context,
		ConnState:                    limited.state,
		ErrorLog:                     slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(limited) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", limited.Addr(), err)
	case <-ctx.Done():
	}
	s.stop()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(limit); err != nil {
		limited.ending.Store(true)
		server.Close()
		return fmt.Errorf("finish running requests: %w", err)
	}
	<-failed
	return nil
}

// Exchange is one request with what becomes known of it, and the answer as far as it was sent.
type Exchange struct {
	server  *Server // nil within the process
	w       nethttp.ResponseWriter
	r       *nethttp.Request
	id      string // X-Request-Id
	Trace   commands.Trace
	start   time.Time
	route   string // path template, "" for none
	vars    map[string]string
	Caller  any         // what Face.Admit has found out about who asks
	by      uuid.UUID   // whose share of what is bounded it takes, uuid.Nil while that is not known
	caller  []slog.Attr // who asks, as the log says it
	account projections.Account
	key     projections.Key

	read    bool  // whether the body was, or is being
	holds   bool  // one of the bodies
	streams bool  // one of the streams of events
	status  int   // 0 until the answer's header is sent
	bytes   int   // of the answer's body
	failed  error // why a stream was cut off
}

// answer is a success: a status, header fields and a body, in JSON unless they say otherwise.
type answer struct {
	status int
	header map[string]string
	body   []byte
	tag    string                // ETag of the body where that is known, else ""
	stream func(io.Writer) error // writes a body whose length is not known; nil for none
}

// serve answers one request and logs it. A panic becomes a 500; after the answer has begun it cuts
// the connection, so that nobody takes half an answer for a whole one.
func (s *Server) serve(w nethttp.ResponseWriter, r *nethttp.Request) {
	x := &Exchange{server: s, w: w, r: r, id: requestID(r.Header), start: time.Now()}
	span := s.span(x)
	w.Header().Set("X-Request-Id", x.id)
	defer func() {
		thrown := recover()
		begun := x.status != 0
		if thrown != nil && thrown != nethttp.ErrAbortHandler {
			x.log("panic", "panic", fmt.Sprint(thrown), "stack", string(debug.Stack()))
			if !begun {
				s.refuse(x, broken(x.id))
			}
		}
		if _, expected := explain(x.failed, x.id); x.failed != nil && !expected {
			x.log("answer cut off", "error", x.failed)
		}
		if x.holds {
			s.bodies.Release(x.by)
		}
		if x.streams {
			s.streams.Release(x.by)
		}
		s.lines.write(x)
		s.measures.count(x)
		x.ends(span)
		if thrown != nil && (begun || thrown == nethttp.ErrAbortHandler) {
			panic(nethttp.ErrAbortHandler)
		}
	}()
	if err := s.answer(x); err != nil {
		if s.missed(x, err) {
			err = damaged
		}
		s.refuse(x, err)
	}
}

// missed tells whether what is not found may have been in what is damaged of the log.
func (s *Server) missed(x *Exchange, err error) bool {
	f := (*failure)(nil)
	if !s.open.Load() || !errors.As(err, &f) {
		return false
	}
	sure := f.status != nethttp.StatusNotFound || x.route == "" || s.views == nil
	if f == unauthorized {
		sure = x.r.Header.Get("Authorization") == ""
	}
	return !sure && s.views.Partial()
}

// answer makes the checks that come before a handler, in their order, and sends what the handler
// returns.
func (s *Server) answer(x *Exchange) error {
	if hasSecret(x.r.URL) {
		return secretInURL
	}
	if path := x.r.URL.Path; !s.open.Load() && path != "/healthz" && !strings.HasPrefix(path, "/openapi.") {
		return unavailable("This node is not ready: " + *s.waits.Load() + ".")
	}
	leave := func() {}
	if face := s.faceAt(x.r.URL.Path); face != nil {
		x.w.Header().Set("Cache-Control", "private, no-cache")
		if face.Vary != "" {
			x.w.Header().Add("Vary", face.Vary)
		}
		if err := face.Admit(x); err != nil {
			return err
		}
		if s.views.Damaged() != nil {
			x.w.Header().Set("Reckon-Log", "damaged")
		}
		ctx, cancel := context.WithTimeout(x.r.Context(), admissionPatience)
		defer cancel()
		if err := s.requests.Acquire(ctx, x.by); err != nil {
			return crowded
		}
		leave = sync.OnceFunc(func() { s.requests.Release(x.by) })
		defer leave()
	}
	handle, err := s.find(x)
	if err != nil {
		return err
	}
	if x.account.ID != uuid.Nil {
		if err := s.allow(x); err != nil {
			return err
		}
	}
	a, err := handle(s, x)
	if err != nil {
		return err
	}
	for name, value := range a.header {
		x.w.Header().Set(name, value)
	}
	if a.stream != nil {
		if x.streams { // which have places of their own
			leave()
		}
		return x.stream(a)
	}
	if a.status == nethttp.StatusOK && x.reads() {
		tag := a.tag
		if tag == "" {
			tag = entityTag(a.body)
		}
		x.w.Header().Set("ETag", tag)
		if matches(x.r.Header.Values("If-None-Match"), tag) {
			a.status, a.body = nethttp.StatusNotModified, nil
		}
	}
	x.send(a.status, a.body)
	return nil
}

// refuse sends the envelope of an error. An error that nothing explains is logged here, once.
func (s *Server) refuse(x *Exchange, err error) {
	f, expected := explain(err, x.id)
	if !expected {
		x.log("request failed", "error", err)
	}
	s.measures.refusals.WithLabelValues(f.code).Inc()
	for name, value := range f.header {
		x.w.Header().Set(name, value)
	}
	if x.r.ContentLength != 0 && !x.read {
		// The body may never come, and what nobody reads is not to hold the connection.
		x.w.Header().Set("Connection", "close")
		_ = nethttp.NewResponseController(x.w).SetReadDeadline(time.Now().Add(bodyInFlight))
	}
	body := encode(f.envelope())
	if face := s.faceAt(x.r.URL.Path); face != nil && face.Refuse != nil {
		body = face.Refuse(x, f.status, f.message)
	}
	x.send(f.status, body)
}

// send writes the answer; body is nil for a status that has none.
func (x *Exchange) send(status int, body []byte) {
	x.status = status
	if body != nil {
		if x.w.Header().Get("Content-Type") == "" {
			x.w.Header().Set("Content-Type", "application/json")
		}
		x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	x.w.WriteHeader(status)
	if body == nil || x.r.Method == nethttp.MethodHead {
		return
	}
	// A failed write means that the caller has gone, or does not read.
	control := nethttp.NewResponseController(x.w)
	for piece := range slices.Chunk(body, answerPiece) {
		if len(body) > answerPiece {
			_ = control.SetWriteDeadline(time.Now().Add(x.server.patience))
		}
		n, err := x.w.Write(piece)
		x.bytes += n
		if err != nil {
			return
		}
	}
}

// stream sends an answer whose length is not known. Where it ends early the connection is cut, so
// that nobody takes a part for the whole.
func (x *Exchange) stream(a answer) error {
	x.status = a.status
	x.w.Header().Set(gzhttp.HeaderNoCompression, "1")
	control := nethttp.NewResponseController(x.w)
	until := time.Time{} // one that passed would end the request's context
	if x.r.ContentLength != 0 && !x.read {
		// net/http reads no more before the end, and would wait there for a body that may never come.
		x.w.Header().Set("Connection", "close")
		until = time.Now().Add(bodyInFlight)
	}
	_ = control.SetReadDeadline(until)
	x.w.WriteHeader(a.status)
	if x.r.Method == nethttp.MethodHead {
		return nil
	}
	if err := a.stream(&streamed{x, control}); err != nil {
		x.failed = err
		panic(nethttp.ErrAbortHandler)
	}
	return nil
}

// streamed writes a part of an answer at a time, at once.
type streamed struct {
	x       *Exchange
	control *nethttp.ResponseController
}

func (s *streamed) Write(part []byte) (int, error) {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.x.server.patience))
	n, err := s.x.w.Write(part)
	s.x.bytes += n
	if err != nil {
		return n, err
	}
	return n, s.control.Flush()
}

// compressed has what next answers leave compressed where the caller can read it so.
func compressed(next nethttp.Handler) nethttp.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressFrom), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.EnableZstd(false), gzhttp.SuffixETag(compressedTag))
	if err != nil {
		panic(fmt.Sprintf("compress answers: %v", err)) // the options are constants
	}
	return wrap(next)
}

// requestID is the caller's X-Request-Id when it is 1 to 128 visible ASCII characters and no
// secret, since the log says it, else a new UUID.
func requestID(header nethttp.Header) string {
	if ids := header.Values("X-Request-Id"); len(ids) == 1 && visible(ids[0], 128) && !namesSecret(ids[0]) {
		return ids[0]
	}
	return uuid.NewString()
}

// visible reports whether a text is 1 to limit visible ASCII characters.
func visible(text string, limit int) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && len(text) <= limit
}
