package admin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	nethttp "net/http"
	"slices"
	"time"

	"reckon/commands"
	"reckon/events"
	"reckon/http"
)

// once answers a request. One that changes something and has an Idempotency-Key is done once: sent
// again it is answered with what became of it, or, where that was a secret, that it was done.
func (q *request) once(r route) (http.Answer, error) {
	if method := q.Request().Method; r.least.reads || method == nethttp.MethodGet || method == nethttp.MethodHead {
		return r.handle(q)
	}
	key, err := q.IdempotencyKey()
	if err != nil {
		return http.Answer{}, err
	}
	if key == nil {
		return r.handle(q)
	}
	body, err := q.Body(fileLimit, func(nethttp.Header, int) error { return nil })
	if err != nil {
		return http.Answer{}, err
	}
	asked := commands.NewAdminRequest(q.caller.user.ID, *key, printOf(q.Request(), body))
	if err := q.find(asked); err != nil {
		return http.Answer{}, err
	}
	if len(asked.Done) == 0 {
		answer, failed := q.handleAs(r, asked, body)
		if failed == nil {
			failed = q.admin.Remember(q.ctx(), q.caller.user.Email)
		}
		if failed == nil {
			return answer, nil
		}
		// The same request may have been done meanwhile, so that this one cannot be.
		if err := q.find(asked); err != nil {
			return http.Answer{}, err
		}
		if len(asked.Done) == 0 {
			return answer, failed
		}
	}
	if i := slices.IndexFunc(asked.Done, func(d commands.Done) bool { return d.Secret != "" }); i >= 0 {
		return http.Answer{}, http.Failure(nethttp.StatusConflict, "error_already_done", fmt.Sprintf(
			"This was done at %s. The secret was in the answer then and is kept nowhere: %s.",
			asked.Done[i].Time.Format(time.RFC3339), asked.Done[i].Secret))
	}
	answer, err := q.handleAs(r, asked, body)
	if err == nil {
		q.Header().Set("Idempotent-Replayed", "true")
	}
	return answer, err
}

// handleAs handles a request whose body was read.
func (q *request) handleAs(r route, asked *commands.AdminRequest, body []byte) (http.Answer, error) {
	q.admin.Request = asked
	q.Request().Body, q.Request().ContentLength = io.NopCloser(bytes.NewReader(body)), 0
	return r.handle(q)
}

// find finds what a request has brought about before.
func (q *request) find(asked *commands.AdminRequest) error {
	beside := events.Subject{}
	if id, named := q.ID("conversation"); named && q.Request().Method == nethttp.MethodPatch {
		beside = events.ConversationSubject(q.account.ID, id)
	}
	return q.requests.Find(q.ctx(), q.log.Load(), asked, beside)
}

// repeats tells whether the request has brought something about before.
func (q *request) repeats() bool { return q.admin.Request != nil && len(q.admin.Request.Done) > 0 }

// printOf tells what a request asks for from all else: JSON however it is written.
func printOf(r *nethttp.Request, body []byte) string {
	text, err := http.Object(slices.Clone(body), &struct{}{})
	if err != nil {
		text = string(body)
	}
	sum := sha256.Sum256([]byte(r.Method + " " + r.URL.RequestURI() + "\n" + text))
	return hex.EncodeToString(sum[:])
}
