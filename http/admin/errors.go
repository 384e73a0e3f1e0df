package admin

import (
	"errors"
	nethttp "net/http"

	"reckon/commands"
	"reckon/commands/history"
	"reckon/events/log"
	"reckon/http"
)

// Failures that are always the same.
var (
	unauthorized = http.Unauthorized(`A valid token is needed, sent as "Authorization: Bearer <TOKEN>".`)
	revokedToken = http.Failure(nethttp.StatusForbidden, "error_disabled_token", "This token has been revoked. Use another one.")
	expiredToken = http.Failure(nethttp.StatusForbidden, "error_disabled_token", "This token has expired. Use another one.")
	disabledUser = http.Failure(nethttp.StatusForbidden, "error_disabled_token", "The user of this token is disabled.")
	readingToken = http.Failure(nethttp.StatusForbidden, "error_insufficient_scope", "This token may only read.")
	limitedToken = http.Failure(nethttp.StatusForbidden, "error_insufficient_scope", "This token is limited to some accounts, and this is not about one of them.")
)

// explanations are the answers to errors of commands, whose words are for who gave the command.
var explanations = []struct {
	err    error
	status int
	code   string
}{
	{commands.ErrNone, nethttp.StatusNotFound, "error_not_found"},
	{commands.ErrExists, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrRevoked, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrForeignSecret, nethttp.StatusConflict, "error_conflict"},
	{log.ErrFull, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrLastOwner, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrSeen, nethttp.StatusPreconditionFailed, "error_precondition_failed"},
	{history.ErrUnanswered, nethttp.StatusConflict, "error_conflict"},
	{history.ErrUntestable, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrSuspended, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrRetired, nethttp.StatusConflict, "error_conflict"},
	{commands.ErrRepeated, nethttp.StatusConflict, "error_conflict"},
	{log.ErrUnerasable, nethttp.StatusConflict, "error_conflict"},
}

// answered is an error of a handler with the answer to it, where there is a special one.
func answered(err error) error {
	if err == nil {
		return nil
	}
	if refused := (*commands.RefusedError)(nil); errors.As(err, &refused) {
		return http.Failure(nethttp.StatusUnprocessableEntity, "error_invalid_param", err.Error())
	}
	if beside := (*commands.BesideError)(nil); errors.As(err, &beside) {
		return http.Failure(nethttp.StatusConflict, "error_like_another", err.Error())
	}
	for _, e := range explanations {
		if errors.Is(err, e.err) {
			return http.Failure(e.status, e.code, err.Error())
		}
	}
	return err
}
