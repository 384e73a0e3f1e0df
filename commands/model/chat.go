package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"reckon/commands"
	"reckon/commands/outside"
)

// chatMessage is one message of a question, as the protocol has it.
type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

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

// unknownForm are the statuses that may say that a server does not know a form of answer.
var unknownForm = []statusError{http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotImplemented}

// faultOfQuestion are the statuses that find fault with a question, and not with the server, its
// address or the key.
var faultOfQuestion = []statusError{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}

// Answers that end an attempt in one form.
var (
	errNoCompletion = errors.New("its answer is no completion")
	errNoObject     = errors.New("its answer is no JSON object")
)

// complete posts a question and returns the text of the first choice. It fails with a statusError
// that is not of success, and with errNoCompletion where there is not a choice.
func (e *endpoint) complete(ctx context.Context, q chatQuestion) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(commands.Encode(q)))
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

// modelFailure says what went wrong, without anything that the server said: that may hold the
// prompt, or the key.
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
	for _, known := range []error{outside.ErrRedirect, errEndless, outside.ErrPrivate, outside.ErrPlain} {
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
