package webhooks

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/outside"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

const (
	// attemptLimit is how long an attempt may take in all.
	attemptLimit = 15 * time.Second
	// answerLimit is how much of an answer is read, which nobody is shown.
	answerLimit = 4 << 10
	// idle is how many connections to a receiver are kept.
	idle = 2
)

// Post sends to receivers. It is safe for concurrent use.
type Post struct {
	clients map[bool]*nethttp.Client // by whether it is encrypted
	private bool
}

// NewPost sends to private networks only where that is allowed.
func NewPost(private bool) *Post {
	p := &Post{clients: map[bool]*nethttp.Client{}, private: private}
	for _, encrypted := range []bool{false, true} {
		p.clients[encrypted] = outside.Client(encrypted, private, idle)
		p.clients[encrypted].CheckRedirect = func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse }
	}
	return p
}

// answer is what became of an attempt.
type answer struct {
	status  int    // 0 for no answer
	problem string // "" for success
	after   time.Duration
	took    time.Duration
}

func (a answer) gone() bool { return a.status == nethttp.StatusGone }

// send sends a body to a webhook, signed with its secrets, and reads what the receiver answers. Any
// 2xx is success; a redirect is none, and nothing follows it.
func (p *Post) send(ctx context.Context, to string, id uuid.UUID, body []byte, secrets []string) (a answer) {
	began := time.Now()
	defer func() { a.took = time.Since(began) }()
	u, err := outside.Parse(to, p.private)
	if err != nil {
		return answer{problem: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	r, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return answer{problem: outside.ErrNoURL.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "Reckon-Webhooks")
	sign(r.Header, "msg_"+id.String(), began, body, secrets)
	response, err := p.clients[u.Scheme == "https"].Do(r)
	if err != nil {
		return answer{problem: problemOf(err)}
	}
	defer response.Body.Close()
	// What is beyond the limit is not read: the connection ends with it.
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, answerLimit))
	a = answer{status: response.StatusCode, after: retryAfter(response.Header.Get("Retry-After"), began)}
	switch {
	case a.status >= 300 && a.status < 400:
		a.problem = fmt.Sprintf("it answered %d, and redirects are not followed", a.status)
	case a.status < 200 || a.status >= 300:
		a.problem = fmt.Sprintf("it answered %d", a.status)
	}
	return a
}

// sign writes the headers of Standard Webhooks, with a signature by each secret.
func sign(h nethttp.Header, id string, at time.Time, body []byte, secrets []string) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		signatures = append(signatures, signature(secret, id, stamp, body))
	}
	h.Set("Webhook-Id", id)
	h.Set("Webhook-Timestamp", stamp)
	h.Set("Webhook-Signature", strings.Join(signatures, " "))
}

// signature is one of version 1, by a secret whose base64 is right.
func signature(secret, id, stamp string, body []byte) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(id + "." + stamp + "."))
	_, _ = mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// maxAfter is the longest that a receiver may have itself left alone.
const maxAfter = 12 * time.Hour

// retryAfter reads how long a receiver wants to be left alone, as seconds or as a date.
func retryAfter(text string, now time.Time) time.Duration {
	after := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		after = time.Duration(seconds) * time.Second
	} else if at, err := nethttp.ParseTime(text); err == nil {
		after = at.Sub(now)
	}
	return min(max(after, 0), maxAfter)
}

// problemOf says why there was no answer, without the address, which may have a secret of the
// receiver.
func problemOf(err error) string {
	for _, known := range []error{outside.ErrPrivate, outside.ErrPlain} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Sprintf("it did not answer within %d s", int(attemptLimit.Seconds()))
	}
	if name := (*net.DNSError)(nil); errors.As(err, &name) {
		return "its name is not found"
	}
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	text := []rune(err.Error())
	return string(text[:min(len(text), 200)])
}

// envelope is what is sent.
type envelope struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // when it happened
	Data      any       `json:"data"`
}

// tested is the data of a test.
type tested struct {
	WebhookID uuid.UUID `json:"webhook_id"`
}

// Test sends a webhook something to try it out with, at once and once, and keeps what became of it.
// id is that of what is sent. The webhook may be disabled.
func (p *Post) Test(ctx context.Context, l *log.Log, account uuid.UUID, w projections.Webhook, id uuid.UUID) (events.Outcome, error) {
	now := time.Now().UTC().Truncate(time.Millisecond)
	d := events.Delivery{ID: id, AccountID: account, WebhookID: w.ID, Event: events.WebhookTest, HappenedAt: now, Attempt: 1, Due: now}
	body, err := events.Marshal(envelope{events.WebhookTest, now, tested{w.ID}})
	if err != nil {
		return events.Outcome{}, err
	}
	key, err := l.WebhookKey(ctx, true)
	if err != nil {
		return events.Outcome{}, err
	}
	secrets, err := commands.WebhookSecrets(key, w, now)
	if err != nil {
		return events.Outcome{}, err
	}
	a := p.send(ctx, w.URL, d.ID, body, secrets)
	return keep(ctx, l, outcome(d, w, a))
}

// outcome is what became of an attempt, as far as the answer says.
func outcome(d events.Delivery, w projections.Webhook, a answer) events.Outcome {
	o := events.Outcome{
		Delivery: d, At: time.Now().UTC().Truncate(time.Millisecond), Result: events.Failed, Status: a.status, Problem: a.problem,
		Millis: int(a.took.Milliseconds()), Since: w.Since,
	}
	if a.problem == "" {
		o.Result = events.Delivered
	}
	return o
}

// keep keeps an outcome, and counts how many messages failed for good in a row. A test does not
// count.
func keep(ctx context.Context, l *log.Log, o events.Outcome) (events.Outcome, error) {
	return l.KeepOutcome(ctx, o.AccountID, o.WebhookID, func(before *events.Outcome) events.Outcome {
		if o.Failures = 0; before != nil && before.Since == o.Since {
			o.Failures = before.Failures
		}
		switch {
		case o.Event == events.WebhookTest:
		case o.Result == events.Delivered:
			o.Failures = 0
		case o.Result == events.Failed:
			o.Failures++
		}
		return o
	})
}
