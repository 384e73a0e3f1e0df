// Package model asks a language model to read prose where the rules of engine/language are in
// doubt, or before them. The model only maps a prompt onto the variables of a domain: what it
// proposes is checked against the words of the prompt, and it never calculates.
package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/outside"
	"reckon/engine"
	"reckon/engine/language"
	"reckon/engine/value"
)

// Modes of reading natural language.
const (
	RulesOnly      = "rules"            // no model is asked
	RulesThenModel = "rules-then-model" // a model is asked where the rules are in doubt
	ModelThenRules = "model-then-rules" // the rules read where the model has no answer that holds
)

// Config says which language model reads prose, besides the rules, and where it is: any server that
// speaks the chat completions of OpenAI. The zero value is no model.
type Config struct {
	Mode         string // "" is RulesOnly
	URL          string // that "chat/completions" is appended to, such as https://api.openai.com/v1
	Name         string
	KeyVariable  string // the environment variable that holds the key, "" for a server without keys
	AllowPrivate bool   // the address may be of this machine or of a private network
	Budget       int    // requests that each account may cause in an hour, 0 for any number
}

const (
	attemptLimit    = 15 * time.Second // of one attempt
	idleConnections = 32               // that are kept, one for each question that one account may have out
	answerReserve   = time.Second      // that an attempt leaves of the time that a request has
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
	errModelTimeout     = commands.ErrModelTimeout
	errModelRejected    = commands.ErrModelRejected
	errModelBroken      = commands.ErrModelBroken
	errModelOverBudget  = commands.ErrModelOverBudget
)

// Failures that tell nothing about the server.
var (
	errHurried  = errors.New("the request waited too long to leave it its time")
	errEndless  = fmt.Errorf("its answer has more than %d KiB", maxModelAnswer>>10)
	errTooLarge = fmt.Errorf("the domain is too large for a question of %d KiB", maxModelBrief>>10)
)

// New returns the model that a service is to use. It fails where the model cannot be asked as it is
// told: a mode, a URL or a name that is none, a variable without a key.
func New(c Config, logger *slog.Logger) (commands.Model, error) {
	switch c.Mode {
	case "", RulesOnly:
		return commands.Model{}, nil
	case RulesThenModel, ModelThenRules:
	default:
		return commands.Model{}, fmt.Errorf("language mode %q: give %s, %s or %s", c.Mode, RulesOnly, RulesThenModel, ModelThenRules)
	}
	e, err := newEndpoint(c, logger)
	if err != nil {
		return commands.Model{}, err
	}
	return commands.Model{Name: c.Name, First: c.Mode == ModelThenRules, Ask: e.propose}, nil
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
	now    func() time.Time // by which the breaker and the budget go

	breaker breaker
	budget  budget
}

func newEndpoint(m Config, logger *slog.Logger) (*endpoint, error) {
	if m.Budget < 0 {
		return nil, fmt.Errorf("the budget of the language model is %d requests an hour: give 0 for any number, or more", m.Budget)
	}
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
		client: outside.Client(base.Scheme == "https", m.AllowPrivate, idleConnections),
		limit:  attemptLimit, logger: logger, now: time.Now, budget: budget{limit: m.Budget},
	}, nil
}

// propose has the model read a prompt of an account, and once more with what was wrong where its
// proposal does not hold. It gives a request that holds, or one of the failures above.
func (e *endpoint) propose(ctx context.Context, account uuid.UUID, d *commands.Domain, text string, refers language.Conversation, env value.Env, doubt []value.Error) (r engine.Request, err error) {
	if len(doubt) > 0 && doubt[0].Code != "language.not_understood" && doubt[0].Code != "language.ambiguous" {
		return engine.Request{}, errModelRejected // the rules are sure of what is wrong
	}
	may, trial := e.breaker.begin(e.now())
	if !may {
		return engine.Request{}, errModelBroken
	}
	told := unknown // where it panics, too
	defer func() {
		switch opened, closed := e.breaker.end(e.now(), trial, told); {
		case opened:
			e.logger.Warn("the language model has failed again and again and is not asked for a while; the rules' answers and doubts stand", "model", e.name, "for", breakFor)
		case closed:
			e.logger.Info("the language model answers again", "model", e.name)
		}
	}()
	r, err = e.converse(ctx, account, d, text, refers, env, doubt)
	told = verdictOf(ctx, err)
	if err != nil && !errors.Is(err, errModelRejected) && !errors.Is(err, errModelOverBudget) && ctx.Err() == nil {
		now, last := time.Now().Unix(), e.failed.Load()
		if now-last >= int64(failureInterval/time.Second) && e.failed.CompareAndSwap(last, now) {
			e.logger.Warn("the language model is not available; the rules' answers and doubts stand", "model", e.name, "error", err)
		}
	}
	return r, err
}

// verdictOf is what a question's end tells about the server. One that answers is alive even where
// the answer is of no use or it finds fault with the question: no account's prompts are to take the
// model from the others.
func verdictOf(ctx context.Context, err error) verdict {
	var status statusError
	switch {
	case ctx.Err() != nil, errors.Is(err, errHurried), errors.Is(err, errTooLarge), errors.Is(err, errModelOverBudget):
		return unknown
	case err == nil, errors.Is(err, errModelRejected), errors.Is(err, errNoObject):
		return alive
	case errors.As(err, &status) && slices.Contains(faultOfQuestion, status):
		return alive
	}
	return failing
}

// spend takes a request out of an account's budget, or fails with errModelOverBudget.
func (e *endpoint) spend(account uuid.UUID) error {
	taken, first := e.budget.take(account, e.now())
	if taken {
		return nil
	}
	if first {
		e.logger.Warn("the account has used up its requests to the language model until the next hour begins; the rules' answers and doubts stand",
			"account_id", account, "budget", e.budget.limit)
	}
	return errModelOverBudget
}

func (e *endpoint) converse(ctx context.Context, account uuid.UUID, d *commands.Domain, text string, refers language.Conversation, env value.Env, doubt []value.Error) (engine.Request, error) {
	question := newBrief(d, text, refers, env, doubt)
	if len(question) > maxModelBrief {
		return engine.Request{}, fmt.Errorf("%w: %w", errModelUnavailable, errTooLarge)
	}
	messages := []chatMessage{{"system", instructions}, {"user", question}}
	schema := proposalSchema(d, refers)
	for range 2 {
		if err := e.spend(account); err != nil {
			return engine.Request{}, err
		}
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
			chatMessage{"user", string(commands.Encode(rejection{Rejected: complaints, Instruction: again}))})
	}
	return engine.Request{}, errModelRejected
}

// attempt asks in the strictest form that works, and reads the answer. It fails with
// errModelUnavailable and errModelTimeout.
func (e *endpoint) attempt(ctx context.Context, messages []chatMessage, schema any) (string, language.Proposal, error) {
	limit := time.Now().Add(e.limit)
	hurried := false
	if end, ok := ctx.Deadline(); ok && end.Add(-answerReserve).Before(limit) {
		limit, hurried = end.Add(-answerReserve), true
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
		case errors.As(err, &status) && slices.Contains(unknownForm, status), errors.Is(err, errNoCompletion):
			problem = err
			continue
		case err != nil:
			err = modelFailure(limited, err)
			if hurried && errors.Is(err, errModelTimeout) {
				err = fmt.Errorf("%w: %w", err, errHurried)
			}
			return "", language.Proposal{}, err
		}
		if p, ok := readProposal(content); ok {
			e.form.Store(form)
			return content, p, nil
		}
		problem = errNoObject
	}
	return "", language.Proposal{}, fmt.Errorf("%w: %w", errModelUnavailable, problem)
}

// readProposal reads an answer: JSON, or the first object in it that is a proposal.
func readProposal(content string) (language.Proposal, bool) {
	const tries = 40 // each of them may read all of the answer
	for range tries {
		at := strings.IndexByte(content, '{')
		if at < 0 {
			break
		}
		content = content[at:]
		var object json.RawMessage
		d := json.NewDecoder(strings.NewReader(content))
		if d.Decode(&object) != nil {
			content = content[1:]
			continue
		}
		var p language.Proposal
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) == nil && json.Unmarshal(object, &p) == nil && members["inputs"] != nil {
			return p, true
		}
		content = content[d.InputOffset():]
	}
	return language.Proposal{}, false
}
