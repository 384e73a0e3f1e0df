package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"reckon/events"
)

// ledger keeps what callers asked and were answered, in the order in which it began and ended. Its methods may be called
// at the same time.
type ledger struct {
	mutex   sync.Mutex
	moments int
	history observed
	traces  map[int]string // where and when what began at a moment was asked
	refused int            // answers that ask to come back: 503 with Retry-After and error_server_internal
	odd     []int          // statuses that are neither that nor a success
}

// tenant is an account with what its callers need.
type tenant struct{ account, secret, domain string }

func (l *ledger) moment() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.moments++
	return l.moments
}

// trace says where what began at a moment was asked, and from when on.
func (l *ledger) trace(moment int, url string, began time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.traces == nil {
		l.traces = map[int]string{}
	}
	l.traces[moment] = fmt.Sprintf("%s from %s to %s", url, began.Format("15:04:05.000"), time.Now().Format("15:04:05.000"))
}

var caller = nethttp.Client{Timeout: 25 * time.Second, Transport: &nethttp.Transport{MaxIdleConnsPerHost: 64}}

// answer is what came back for a request.
type answer struct {
	status int
	header nethttp.Header
	body   []byte
}

// send sends a request to a service. A header without a value is left out.
func send(client *nethttp.Client, method, url string, headers map[string]string, body []byte) (answer, error) {
	r, err := nethttp.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	response, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, data}, err
}

// request sends a request with an API key, and with an idempotency key where there is one.
func request(client *nethttp.Client, method, url, secret, key string, body []byte) (answer, error) {
	return send(client, method, url, map[string]string{"Authorization": "Bearer " + secret, "Idempotency-Key": key}, body)
}

// refuses says that an answer asks to come back.
func (a answer) refuses() bool {
	return a.status == nethttp.StatusServiceUnavailable && a.header.Get("Retry-After") != "" && bytes.Contains(a.body, []byte(`"error_server_internal"`))
}

// messageBody is a message in an answer, as far as histories keep it.
type messageBody struct {
	ConversationID string          `json:"conversation_id"`
	MessageID      string          `json:"message_id"`
	Status         string          `json:"status"`
	Results        *events.Results `json:"results"`
	Errors         json.RawMessage `json:"errors"`
}

func (s messageBody) answered() answered {
	a := answered{message: s.MessageID, values: string(s.Errors)}
	if s.Status == "in_progress" {
		a.values = underWay
	}
	if s.Results != nil {
		a.original, a.current = s.Results.Scenario.Original, s.Results.Scenario.Current
		for _, v := range s.Results.Variables {
			a.values += v.Key + "=" + string(v.Value) + " "
		}
	}
	return a
}

// post asks the service at a URL for a calculation and keeps what came back. status is 0 when nothing did. Of what is
// in natural language every second one waits to be answered.
func (l *ledger) post(client *nethttp.Client, url string, who tenant, key, conversation, prompt string) (p post, status int, err error) {
	members := map[string]string{"domain_id": who.domain, "prompt": prompt}
	if conversation != "" {
		members["conversation_id"] = conversation
	}
	body, err := json.Marshal(members)
	if err != nil {
		return post{}, 0, err
	}
	at := time.Now()
	p = post{began: l.moment(), account: who.account, key: key, conversation: conversation, prompt: prompt}
	headers := map[string]string{"Authorization": "Bearer " + who.secret, "Idempotency-Key": key, "Prefer": "wait=5"}
	if p.began/2%2 == 0 { // a request has two moments
		headers["Prefer"] = ""
	}
	a, err := send(client, "POST", url+"/v1/calculate", headers, body)
	p.ended = l.moment()
	l.trace(p.began, url, at)
	if err == nil && (a.status == nethttp.StatusOK || a.status == nethttp.StatusAccepted) {
		var s messageBody
		if err := json.Unmarshal(a.body, &s); err != nil {
			return p, a.status, err
		}
		p.acknowledged, p.conversationID, p.answer = true, s.ConversationID, s.answered()
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.history.posts = append(l.history.posts, p)
	switch {
	case err != nil || p.acknowledged:
	case a.refuses():
		l.refused++
	default:
		l.odd = append(l.odd, a.status)
	}
	return p, a.status, err
}

// read gets a conversation from the service at a URL and keeps it.
func (l *ledger) read(client *nethttp.Client, url string, who tenant, conversation string) (status int, err error) {
	at := time.Now()
	r := reading{began: l.moment(), account: who.account, conversation: conversation}
	a, err := request(client, "GET", url+"/v1/conversations/"+conversation, who.secret, "", nil)
	if err != nil || a.status != nethttp.StatusOK {
		return a.status, err
	}
	r.ended = l.moment()
	l.trace(r.began, url, at)
	var detail struct {
		Messages []messageBody `json:"messages"`
	}
	if err := json.Unmarshal(a.body, &detail); err != nil {
		return a.status, err
	}
	for _, m := range detail.Messages {
		r.messages = append(r.messages, m.answered())
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.history.reads = append(l.history.reads, r)
	return a.status, nil
}

// acknowledged counts the requests that were answered.
func (l *ledger) acknowledged() int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	n := 0
	for _, p := range l.history.posts {
		if p.acknowledged {
			n++
		}
	}
	return n
}

// begunIn are the messages of events, in the order of the first of each.
func begunIn(all []events.Event) []string {
	there, begun := map[uuid.UUID]bool{}, []string{}
	for _, e := range all {
		if m := e.Message(); m != nil && !there[m.MessageID] {
			there[m.MessageID] = true
			begun = append(begun, m.MessageID.String())
		}
	}
	return begun
}

// recordedIn are the final events among all, with the names of accounts.
func recordedIn(all []events.Event, account func(uuid.UUID) string) (final []recorded) {
	for _, e := range all {
		m := e.Message()
		if m == nil {
			continue
		}
		s := messageBody{MessageID: m.MessageID.String()}
		switch data := e.Data.(type) {
		case *events.MessageCompleted:
			s.Results = &data.Results
		case *events.MessageFailed:
			s.Errors = data.Errors
		default:
			continue
		}
		r := recorded{account: account(e.Subject.Account()), conversation: m.ConversationID.String(), prompt: m.Prompt, answer: s.answered()}
		if m.IdempotencyKey != nil {
			r.key = *m.IdempotencyKey
		}
		final = append(final, r)
	}
	return final
}
