package http

import (
	"context"
	"errors"
	nethttp "net/http"

	"reckon/commands"
	"reckon/projections"
)

// retryAfter is the Retry-After of every answer that asks the caller to come back, in seconds.
const retryAfter = "1"

// failure is an answer that is not a success.
type failure struct {
	status  int
	code    string
	message string
	header  map[string]string
}

func (f *failure) Error() string { return f.code + ": " + f.message }

// Told is what the envelope says.
func (f *failure) Told() (code, message string) { return f.code, f.message }

// envelope is the body of every failure. Params is always null.
type envelope struct {
	Error struct {
		Code    string    `json:"code"`
		Message string    `json:"message"`
		Params  *struct{} `json:"params"`
	} `json:"error"`
}

func (f *failure) envelope() (e envelope) {
	e.Error.Code, e.Error.Message = f.code, f.message
	return e
}

// Failures that are always the same.
var (
	unauthorized = &failure{
		nethttp.StatusUnauthorized, "error_unauthorized",
		`A valid API key is needed, sent as "Authorization: Bearer <API_KEY>".`,
		map[string]string{"WWW-Authenticate": "Bearer"},
	}
	disabledKey = &failure{nethttp.StatusForbidden, "error_disabled_api_key", "This API key has been revoked. Use another key of the account.", nil}
	expiredKey  = &failure{nethttp.StatusForbidden, "error_disabled_api_key", "This API key has expired. Use another key of the account.", nil}
	suspended   = &failure{nethttp.StatusForbidden, "error_disabled_api_key", "The account is suspended: none of its API keys is of use until an operator takes it into use again.", nil}
	readingKey  = &failure{nethttp.StatusForbidden, "error_insufficient_scope", "This API key may only read. Use a key of the account that has the scope calculate.", nil}
	stalled     = &failure{nethttp.StatusRequestTimeout, "error_request_timeout", "The body did not arrive in time. Send the request again.", nil}
	secretInURL = &failure{
		nethttp.StatusBadRequest, "error_secret_in_url",
		"There is a secret in the address of this request, where others may see it. Use it no more, have a new one made, and send a key or a token in the header Authorization.", nil,
	}
	conflict = &failure{
		nethttp.StatusConflict, "error_idempotency_conflict",
		"This Idempotency-Key was used with a different body. Use a new key for a new request.", nil,
	}
	streaming = &failure{
		nethttp.StatusTooManyRequests, "error_rate_limited",
		"There are as many streams of events open as there may be. Close one, or open this one later.",
		map[string]string{"Retry-After": "10"},
	}
	crowded   = unavailable("There are too many requests at once. Send the request again, with the same Idempotency-Key if it had one.")
	longProse = tooLarge("prompt", "16 KiB in natural language")
	badCursor = invalidParam("starting_after", "must be the next_cursor of an earlier page")
	damaged   = unavailable("A part of this node's log is damaged. What is whole of it can be read, and nothing is taken until it is mended.")
	late      = unavailable("There was no answer in time. Send the request again, with the same Idempotency-Key if it had one.")
)

func notFound(message string) *failure {
	return &failure{nethttp.StatusNotFound, "error_not_found", message, nil}
}

// unknown is the 404 of an id, the same whether nothing bears it, another account's thing does, or
// it is no id.
func unknown(what string) *failure {
	return notFound("There is no " + what + " with this id.")
}

func notAllowed(allow string) *failure {
	return &failure{
		nethttp.StatusMethodNotAllowed, "error_method_not_allowed",
		"This path does not answer this method. It answers " + allow + ".",
		map[string]string{"Allow": allow},
	}
}

func tooLarge(what, limit string) *failure {
	return &failure{nethttp.StatusRequestEntityTooLarge, "error_payload_too_large", what + " is too large (limit " + limit + ").", nil}
}

func unsupportedMediaType(message string) *failure {
	return &failure{nethttp.StatusUnsupportedMediaType, "error_unsupported_media_type", message, nil}
}

func invalidJSON(message string) *failure {
	return &failure{nethttp.StatusBadRequest, "error_invalid_json", message, nil}
}

// invalidParam names the parameter and what is expected of it: invalidParam("limit", "must be …").
func invalidParam(name, rule string) *failure {
	return &failure{nethttp.StatusUnprocessableEntity, "error_invalid_param", name + " " + rule + ".", nil}
}

func unavailable(message string) *failure {
	return &failure{nethttp.StatusServiceUnavailable, "error_server_internal", message, map[string]string{"Retry-After": retryAfter}}
}

func broken(reference string) *failure {
	return &failure{nethttp.StatusInternalServerError, "error_server_internal", "Something went wrong (reference " + reference + ").", nil}
}

// explanations are the answers to errors; the first counts that an error is.
var explanations = []struct {
	err    error
	answer *failure
}{
	{commands.ErrIdempotencyConflict, conflict},
	{commands.ErrSuspended, suspended},
	{commands.ErrUnknownDomain, notFound("domain_id names no published domain.")},
	{commands.ErrUnknownConversation, notFound("conversation_id names no conversation.")},
	{commands.ErrUnknownMessage, unknown("message")},
	{commands.ErrUnknownScenario, unknown("scenario")},
	{commands.ErrPromptJSON, invalidJSON("prompt is not valid JSON.")},
	{commands.ErrPromptTooLong, longProse},
	{projections.ErrCursor, badCursor},
	{projections.ErrDamaged, damaged},
	{projections.ErrBehind, unavailable("This node cannot confirm now that it has seen the newest changes. Send the request again.")},
	{commands.ErrUnavailable, late},
	{commands.ErrDiskFull, unavailable("The disk of this node is nearly full. What is there can be read; send the request again when there is space.")},
	{context.DeadlineExceeded, late},
	{context.Canceled, late},
}

// explain chooses the answer to an error. expected is false of an error that is a fault of the
// service and that nothing has logged; its answer names the request id as reference and nothing
// else.
func explain(err error, requestID string) (f *failure, expected bool) {
	if errors.As(err, &f) {
		return f, true
	}
	if crashed := (*commands.CrashedError)(nil); errors.As(err, &crashed) {
		return broken(crashed.MessageID.String()), true
	}
	for _, e := range explanations {
		if errors.Is(err, e.err) {
			return e.answer, true
		}
	}
	return broken(requestID), false
}
