package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"strings"
	"time"

	"reckon/events"
)

const (
	// ownPrompt is what is asked of the starter domain.
	ownPrompt = "power: {n} W\nhours_per_day: 3 h/d\ndays: 30 d\ncalculate: energy"
	// variants is how many numbers stand in for {n} of a prompt.
	variants = 64
	// longOnes is how many long conversations callers share.
	longOnes = 16
	// recentOnes is how many conversations of recentMessages messages are read.
	recentOnes     = 64
	recentMessages = 3
	// patience is how long one request may take.
	patience = 30 * time.Second
)

// service is the server that is measured, and what is asked of it.
type service struct {
	base   *url.URL
	key    string
	domain string
	client nethttp.Client // for all that is not measured

	first      answer   // to the first prompt
	document   []byte   // its body
	structured []string // prompts
	objects    []string // the same as JSON prompts
}

// answer is an answer of POST /v1/calculate, as far as it is looked at.
type answer struct {
	ConversationID string          `json:"conversation_id"`
	Status         string          `json:"status"`
	Results        *events.Results `json:"results"`
	Errors         []struct {
		Code string `json:"code"`
	} `json:"errors"`
}

// newService asks a first question, which tells whether there is a server that knows the key, the
// domain and what the prompt names, and then the others.
func newService(ctx context.Context, address, key, domain, prompt string) (*service, error) {
	base, err := url.Parse(strings.TrimSuffix(address, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("--url %q: give an address such as http://127.0.0.1:8080", address)
	}
	s := &service{base: base, key: key, domain: domain, client: nethttp.Client{Timeout: patience}}
	for n := range variants {
		text := strings.ReplaceAll(prompt, "{n}", fmt.Sprint(n+100))
		a, document, err := s.calculate(ctx, "structured", text, "")
		if err != nil {
			return nil, err
		}
		if a.Results == nil {
			code := a.Status
			if len(a.Errors) > 0 {
				code = a.Errors[0].Code
			}
			return nil, fmt.Errorf("the prompt cannot be calculated in domain %s (%s): give one in structured text with --prompt", domain, code)
		}
		if n == 0 {
			s.first, s.document = a, document
		}
		object, err := jsonPrompt(*a.Results)
		if err != nil {
			return nil, err
		}
		s.structured, s.objects = append(s.structured, text), append(s.objects, object)
	}
	a, _, err := s.calculate(ctx, "json", s.objects[0], "")
	if err == nil && a.Results == nil {
		err = fmt.Errorf("the prompt cannot be calculated as JSON: %s", s.objects[0])
	}
	return s, err
}

// jsonPrompt asks for what a result was asked for.
func jsonPrompt(r events.Results) (string, error) {
	type input struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	}
	var prompt struct {
		Inputs    []input `json:"inputs"`
		Calculate struct {
			Key string `json:"key"`
		} `json:"calculate"`
	}
	for _, v := range r.Variables {
		if v.Source == "user_input" {
			prompt.Inputs = append(prompt.Inputs, input{v.Key, v.Value})
		}
		if r.Calculated != nil && v.ID == *r.Calculated {
			prompt.Calculate.Key = v.Key
		}
	}
	text, err := json.Marshal(prompt)
	return string(text), err
}

// body is a body of POST /v1/calculate. Without a conversation it begins one.
func (s *service) body(format, prompt, conversation string) []byte {
	members := map[string]string{"domain_id": s.domain, "input_format": format, "prompt": prompt}
	if conversation != "" {
		members["conversation_id"] = conversation
	}
	body, _ := json.Marshal(members) // strings always encode
	return body
}

// calculate asks one question; every answer that is not a 200 is an error that says what to do.
func (s *service) calculate(ctx context.Context, format, prompt, conversation string) (a answer, document []byte, err error) {
	r, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodPost, s.base.String()+"/v1/calculate", bytes.NewReader(s.body(format, prompt, conversation)))
	if err != nil {
		return a, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return a, nil, ctx.Err()
		}
		var wrapped *url.Error // it would repeat the whole address
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return a, nil, fmt.Errorf("no server answers at %s: %w (a server prints its address when it is ready)", s.base, err)
	}
	defer response.Body.Close()
	document, err = io.ReadAll(response.Body)
	if err != nil {
		return a, nil, fmt.Errorf("read an answer of %s: %w", s.base, err)
	}
	if response.StatusCode != nethttp.StatusOK {
		return a, nil, s.explain(response.StatusCode, document)
	}
	if err := json.Unmarshal(document, &a); err != nil || a.ConversationID == "" {
		return a, nil, fmt.Errorf("what answers at %s is not Reckon", s.base)
	}
	return a, document, nil
}

// explain says what a refusal means for who runs the measurement.
func (s *service) explain(status int, document []byte) error {
	var envelope struct {
		Error struct{ Code, Message string }
	}
	_ = json.Unmarshal(document, &envelope) // the code is empty then
	switch code := envelope.Error.Code; {
	case code == "":
		return fmt.Errorf("what answers at %s is not Reckon: it answered with status %d", s.base, status)
	case code == "error_unauthorized":
		return fmt.Errorf("the server at %s does not know the key: give a whole one with --key ('reckon key create --account NAME' makes one)", s.base)
	case code == "error_disabled_api_key":
		return fmt.Errorf("the key is revoked: give another one with --key ('reckon key create --account NAME' makes one)")
	case code == "error_not_found" && strings.Contains(envelope.Error.Message, "domain_id"):
		return fmt.Errorf("the key's account has no published domain %s: 'reckon domain list --account NAME' shows the ids of those there are", s.domain)
	case code == "error_invalid_param" && strings.Contains(envelope.Error.Message, "domain_id"):
		return fmt.Errorf("--domain %q: give the id of a domain ('reckon domain list --account NAME' shows them); the server says: %s", s.domain, envelope.Error.Message)
	}
	return fmt.Errorf("the server at %s answered a calculation with status %d: %s", s.base, status, envelope.Error.Message)
}

// conversation makes a conversation of so many messages.
func (s *service) conversation(ctx context.Context, messages int) (id string, err error) {
	a, _, err := s.calculate(ctx, "structured", s.structured[0], "")
	if err != nil {
		return "", err
	}
	do, end, err := s.caller(ctx, 1, time.Hour, s.questions("structured", s.structured, a.ConversationID))
	if err != nil {
		return "", err
	}
	defer end()
	for range messages - 1 {
		if err := do(ctx); err != nil {
			return "", fmt.Errorf("make a conversation: %w", err)
		}
	}
	return a.ConversationID, nil
}

// recent makes conversations and returns their ids.
func (s *service) recent(ctx context.Context) ([]string, error) {
	ids := make([]string, recentOnes)
	for i := range ids {
		var err error
		if ids[i], err = s.conversation(ctx, recentMessages); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// questions are requests to calculate prompts in a conversation, or each in a new one where that is
// "".
func (s *service) questions(format string, prompts []string, conversation string) [][]byte {
	var requests [][]byte
	for _, prompt := range prompts {
		requests = append(requests, written(s.base, nethttp.MethodPost, "/v1/calculate", s.key, s.body(format, prompt, conversation)))
	}
	return requests
}

// gets are requests to read paths.
func (s *service) gets(paths ...string) [][]byte {
	var requests [][]byte
	for _, path := range paths {
		requests = append(requests, written(s.base, nethttp.MethodGet, path, s.key, nil))
	}
	return requests
}

// callers prepares callers that send requests in turn for some time, each from another one on.
func (s *service) callers(length time.Duration, requests [][]byte) prepare {
	return func(ctx context.Context, caller int) (step, func(), error) {
		return s.caller(ctx, caller*variants/16, length, requests)
	}
}

// caller connects a caller that sends requests in turn from one of them on, for some time.
func (s *service) caller(ctx context.Context, from int, length time.Duration, requests [][]byte) (step, func(), error) {
	c, err := dial(ctx, s.base, time.Now().Add(length+patience))
	if err != nil {
		return nil, nil, fmt.Errorf("connect to %s: %w", s.base, err)
	}
	next := from
	return func(ctx context.Context) error {
		status, err := c.do(ctx, requests[next%len(requests)])
		if err == nil && status != nethttp.StatusOK {
			err = &refusal{status}
		}
		next++
		return err
	}, c.close, nil
}
