package commands

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"reckon/engine"
	"reckon/engine/language"
)

// Modes of reading natural language.
const (
	RulesOnly      = "rules"            // no model is asked
	RulesThenModel = "rules-then-model" // a model is asked where the rules are in doubt
	ModelThenRules = "model-then-rules" // the rules read where the model has no answer that holds
)

// Model says which language model reads prose, besides the rules, and where it is: any server that speaks the chat completions
// of OpenAI. The zero value is no model.
type Model struct {
	Mode         string // "" is RulesOnly
	URL          string // that "chat/completions" is appended to, such as https://api.openai.com/v1
	Name         string
	KeyVariable  string // the environment variable that holds the key, "" for a server without keys
	AllowPrivate bool   // the address may be of this machine or of a private network
}

const (
	attemptLimit    = 15 * time.Second // of one attempt
	answerReserve   = time.Second      // that an attempt leaves of the time that a request has
	connectLimit    = 5 * time.Second  // of each part of connecting
	maxModelTokens  = 600              // of one answer
	maxModelAnswer  = 256 << 10        // bytes of one answer, protocol included
	maxModelBrief   = 256 << 10        // bytes of one question
	maxAnswerEcho   = 8 << 10          // bytes of a rejected answer that the second attempt shows
	maxComplaints   = 10               // that the second attempt shows
	failureInterval = time.Minute      // failures are logged once in it
)

// Failures of a model, matched with errors.Is. The rules' answer or doubt stands then.
var (
	errModelUnavailable = errors.New("language.unavailable")
	errModelTimeout     = errors.New("language.timeout")
	// errModelRejected says that the model gave nothing that holds. That is no failure of its server.
	errModelRejected = errors.New("no proposal that holds")
)

// UseModel has a language model read prose. It is called before Run. It fails where the model cannot be asked as it is told: a
// mode, a URL or a name that is none, a variable without a key.
func (s *Service) UseModel(m Model) error {
	switch m.Mode {
	case "", RulesOnly:
		return nil
	case RulesThenModel, ModelThenRules:
	default:
		return fmt.Errorf("language mode %q: give %s, %s or %s", m.Mode, RulesOnly, RulesThenModel, ModelThenRules)
	}
	e, err := newEndpoint(m)
	if err != nil {
		return err
	}
	e.logger = s.logger
	s.proposer = proposer{name: m.Name, first: m.Mode == ModelThenRules, ask: e.propose}
	return nil
}

// endpoint is a model that can be asked. It is safe for concurrent use.
type endpoint struct {
	name   string
	url    string // that questions are posted to
	key    string // "" for none
	client *http.Client
	limit  time.Duration // of one attempt
	form   atomic.Int32  // in forms: the first that has worked, so that those before it are not tried again
	failed atomic.Int64  // when a failure was last logged, in seconds since 1970
	logger *slog.Logger
}

func newEndpoint(m Model) (*endpoint, error) {
	if m.Name == "" {
		return nil, errors.New("the language model has no name: give the one that its server knows it by")
	}
	base, err := url.Parse(m.URL)
	switch {
	case m.URL == "":
		return nil, errors.New("the language model has no URL: give one such as https://api.openai.com/v1")
	case err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http":
		return nil, errors.New("the URL of the language model is none: give one such as https://api.openai.com/v1")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the URL of the language model has a user, a query or a fragment: give it without, and the key in an environment variable")
	case base.Scheme == "http" && !m.AllowPrivate:
		return nil, errors.New("the URL of the language model is not https: without TLS a model is asked only at a private address, and those must be allowed")
	}
	key := ""
	if m.KeyVariable != "" {
		key = strings.TrimSpace(os.Getenv(m.KeyVariable))
		if key == "" {
			return nil, fmt.Errorf("the environment variable %s, which is to hold the key of the language model, is not set", m.KeyVariable)
		}
		if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, fmt.Errorf("the environment variable %s holds no key: a key has neither spaces nor letters beyond ASCII", m.KeyVariable)
		}
	}
	return &endpoint{
		name: m.Name, url: base.JoinPath("chat", "completions").String(), key: key,
		client: newModelClient(base.Scheme == "https", m.AllowPrivate),
		limit:  attemptLimit, logger: slog.New(slog.DiscardHandler),
	}, nil
}

var (
	errRedirect = errors.New("it redirects")
	errEndless  = fmt.Errorf("its answer has more than %d KiB", maxModelAnswer>>10)
	errPrivate  = errors.New("its address is private, which is not allowed")
	errPlain    = errors.New("its address is public, and it is asked without TLS")
)

// newModelClient is a client that follows no redirect, takes no proxy from the environment, and connects only where it may: the
// address is looked at when it is dialled, so that no name can mean another one by then. Without TLS it must be a private one.
func newModelClient(encrypted, private bool) *http.Client {
	dialer := &net.Dialer{Timeout: connectLimit, Control: func(_, address string, _ syscall.RawConn) error {
		return mayDial(address, encrypted, private)
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: connectLimit,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: proseSlots, IdleConnTimeout: 90 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
}

// mayDial refuses an address and port with errPrivate and errPlain.
func mayDial(address string, encrypted, private bool) error {
	at, err := netip.ParseAddrPort(address)
	public := err == nil && publicAddress(at.Addr())
	switch {
	case !public && !private:
		return errPrivate
	case public && !encrypted:
		return errPlain
	}
	return nil
}

// privateNetworks are those, beside what netip tells, that no address on the Internet is of, or that lead to other addresses.
var privateNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
}

// publicAddress reports whether an address is one of the Internet's.
func publicAddress(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range privateNetworks {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// propose has the model read a prompt, and once more with what was wrong where its proposal does not hold. It gives a request
// that holds, or one of the failures above.
func (e *endpoint) propose(ctx context.Context, d *Domain, text string, refers language.Conversation, env engine.Env, doubt []engine.Error) (engine.Request, error) {
	if len(doubt) > 0 && !strings.HasPrefix(doubt[0].Code, "language.") {
		return engine.Request{}, errModelRejected // the rules are sure of what is wrong
	}
	r, err := e.converse(ctx, d, text, refers, env, doubt)
	if err != nil && !errors.Is(err, errModelRejected) && ctx.Err() == nil {
		now, last := time.Now().Unix(), e.failed.Load()
		if now-last >= int64(failureInterval/time.Second) && e.failed.CompareAndSwap(last, now) {
			e.logger.Warn("the language model is not available; the rules' answers and doubts stand", "model", e.name, "error", err)
		}
	}
	return r, err
}

func (e *endpoint) converse(ctx context.Context, d *Domain, text string, refers language.Conversation, env engine.Env, doubt []engine.Error) (engine.Request, error) {
	brief := d.brief(text, refers, env, doubt)
	if len(brief) > maxModelBrief {
		return engine.Request{}, fmt.Errorf("%w: the domain is too large for a question of %d KiB", errModelUnavailable, maxModelBrief>>10)
	}
	messages := []chatMessage{{"system", instructions}, {"user", brief}}
	schema := d.proposalSchema(refers)
	for range 2 {
		content, p, err := e.attempt(ctx, messages, schema)
		if err != nil {
			return engine.Request{}, err
		}
		request, complaints := d.Vocabulary().Check(text, p, refers, env)
		if len(complaints) == 0 {
			return request, nil
		}
		if p.Doubt != "" {
			break
		}
		complaints = complaints[:min(len(complaints), maxComplaints)]
		messages = append(messages,
			chatMessage{"assistant", content[:min(len(content), maxAnswerEcho)]},
			chatMessage{"user", string(encode(rejection{Rejected: complaints, Instruction: again}))})
	}
	return engine.Request{}, errModelRejected
}

// chatMessage is one message of a question, as the protocol has it.
type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// chatQuestion is the body of a question.
type chatQuestion struct {
	Model       string        `json:"model"`
	Messages    []chatMessage `json:"messages"`
	Temperature float64       `json:"temperature"`
	MaxTokens   int           `json:"max_tokens"`
	Format      any           `json:"response_format,omitempty"`
}

// forms are the ways to ask for JSON, the strictest first. Servers that call themselves compatible
// may know only the later ones.
var forms = []func(schema any) any{
	func(schema any) any {
		proposal := map[string]any{"name": "proposal", "strict": true, "schema": schema}
		return map[string]any{"type": "json_schema", "json_schema": proposal}
	},
	func(any) any { return map[string]any{"type": "json_object"} },
	func(any) any { return nil },
}

// statusError is an answer with a status that is not of success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("it answers with status %d", int(s)) }

// mayKnowOthers reports whether the status may say that a server does not know a form of answer.
func (s statusError) mayKnowOthers() bool {
	return s == http.StatusBadRequest || s == http.StatusUnprocessableEntity || s == http.StatusNotImplemented
}

// Answers that end an attempt in one form.
var (
	errNoCompletion = errors.New("its answer is no completion")
	errNoObject     = errors.New("its answer is no JSON object")
)

// attempt asks in the strictest form that works, and reads the answer. It fails with errModelUnavailable and errModelTimeout.
func (e *endpoint) attempt(ctx context.Context, messages []chatMessage, schema any) (string, language.Proposal, error) {
	limit := time.Now().Add(e.limit)
	if end, ok := ctx.Deadline(); ok && end.Add(-answerReserve).Before(limit) {
		limit = end.Add(-answerReserve)
	}
	limited, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	var problem error
	for form := e.form.Load(); int(form) < len(forms); form++ {
		content, err := e.complete(limited, chatQuestion{
			Model: e.name, Messages: messages, MaxTokens: maxModelTokens, Format: forms[form](schema),
		})
		var status statusError
		switch {
		case errors.As(err, &status) && status.mayKnowOthers(), errors.Is(err, errNoCompletion):
			problem = err
			continue
		case err != nil:
			return "", language.Proposal{}, modelFailure(limited, err)
		}
		if p, ok := readProposal(content); ok {
			e.form.Store(form)
			return content, p, nil
		}
		problem = errNoObject
	}
	return "", language.Proposal{}, fmt.Errorf("%w: %w", errModelUnavailable, problem)
}

// complete posts a question and returns the text of the first choice. It fails with a statusError
// that is not of success, and with errNoCompletion where there is not a choice.
func (e *endpoint) complete(ctx context.Context, q chatQuestion) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(encode(q)))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if e.key != "" {
		request.Header.Set("Authorization", "Bearer "+e.key)
	}
	response, err := e.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxModelAnswer+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxModelAnswer:
		return "", errEndless
	case response.StatusCode/100 != 2:
		return "", statusError(response.StatusCode)
	}
	var completion struct {
		Choices []struct {
			Message chatMessage `json:"message"`
		} `json:"choices"`
	}
	// A member of another type than it should be is left empty.
	err = json.Unmarshal(text, &completion)
	if other := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &other) {
		return "", err
	}
	if len(completion.Choices) == 0 {
		return "", errNoCompletion
	}
	return completion.Choices[0].Message.Content, nil
}

// modelFailure says what went wrong, without anything that the server said: that may hold the prompt, or the key.
func modelFailure(ctx context.Context, err error) error {
	var status statusError
	var network net.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return errModelTimeout
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &status):
		return fmt.Errorf("%w: %w", errModelUnavailable, status)
	}
	for _, known := range []error{errRedirect, errEndless, errPrivate, errPlain} {
		if errors.Is(err, known) {
			return fmt.Errorf("%w: %w", errModelUnavailable, known)
		}
	}
	if certificate := (*tls.CertificateVerificationError)(nil); errors.As(err, &certificate) {
		return fmt.Errorf("%w: its certificate is not trusted", errModelUnavailable)
	}
	if errors.As(err, &network) {
		return fmt.Errorf("%w: it cannot be reached", errModelUnavailable)
	}
	return fmt.Errorf("%w: %w", errModelUnavailable, errNoCompletion)
}

// readProposal reads an answer: JSON, or the first balanced object in it that is a proposal.
func readProposal(content string) (language.Proposal, bool) {
	const tries = 20
	for range tries {
		at := strings.IndexByte(content, '{')
		if at < 0 {
			break
		}
		end := balanced(content[at:])
		if end == 0 {
			content = content[at+1:]
			continue
		}
		var p language.Proposal
		var members map[string]json.RawMessage
		object := []byte(content[at : at+end])
		if json.Unmarshal(object, &members) == nil && json.Unmarshal(object, &p) == nil && members["inputs"] != nil {
			return p, true
		}
		content = content[at+end:]
	}
	return language.Proposal{}, false
}

// balanced measures the object that a text begins with, 0 where it does not end.
func balanced(text string) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}
