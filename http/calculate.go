package http

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	nethttp "net/http"
	"time"

	"reckon/commands"
	"reckon/projections"
)

// proseWait is how long an answer to prose is waited for where the caller does not say: rules take
// some milliseconds, and who is answered 202 comes back a second later.
const proseWait = 250 * time.Millisecond

// calculate answers POST /v1/calculate: the message, 202 while it is in progress. That of prose is
// waited for as long as the caller prefers, or for a moment.
func (s *Server) calculate(x *Exchange) (answer, error) {
	body, fingerprint, err := s.readCalculate(x)
	if err != nil {
		return answer{}, err
	}
	if err := s.permit(x, body); err != nil {
		return answer{}, err
	}
	key, err := idempotencyKey(x.r.Header)
	if err != nil {
		return answer{}, err
	}
	version, err := x.bodyVersion()
	if err != nil {
		return answer{}, err
	}
	done, err := s.service.Calculate(x.r.Context(), commands.Request{
		Account:        x.account,
		Key:            x.key.ID,
		Domain:         body.domain,
		Format:         body.format,
		Prompt:         body.prompt,
		Conversation:   body.conversation,
		TimeZone:       body.timeZone,
		Language:       body.language,
		IdempotencyKey: key,
		Fingerprint:    fingerprint,
		AllowProse:     func() error { return s.allowProse(x) },
		Trace:          x.Trace,
	})
	if done.Replayed {
		x.w.Header().Set("Idempotent-Replayed", "true")
	}
	if err != nil {
		return answer{}, err
	}
	if done.Message.InputFormat == "natural_language" {
		patience, preferred := preferredWait(x.r.Header)
		if preferred != "" {
			x.w.Header().Set("Preference-Applied", preferred)
		}
		if patience > 0 {
			if done.Message, err = s.await(x, done.Message, patience); err != nil {
				return answer{}, err
			}
		}
	}
	a := answer{status: nethttp.StatusOK, body: PresentMessage(done.Message, version)}
	if done.Message.Status == projections.InProgress {
		a.status = nethttp.StatusAccepted
		a.header = map[string]string{
			"Retry-After": retryAfter,
			"Location":    "/v1/conversations/" + done.Message.ConversationID.String(),
		}
	}
	return a, nil
}

// permit looks whether the key of a request is one for what it asks.
func (s *Server) permit(x *Exchange, body calculateBody) error {
	switch {
	case len(x.key.Scopes) == 0:
		return nil
	case !x.key.Calculates():
		return readingKey
	case !x.key.Sees(body.domain):
		return commands.ErrUnknownDomain
	case body.conversation == nil:
		return nil
	}
	if err := s.views.Fresh(x.r.Context()); err != nil {
		return err
	}
	c, found, err := s.views.Conversation(x.r.Context(), x.account.ID, *body.conversation)
	if err == nil && found && !x.key.SeesConversation(c) {
		err = commands.ErrUnknownConversation
	}
	return err
}

// readCalculate reads the body of a request, which it tells from others by a fingerprint. Of large
// bodies only so many of an account are in memory, and as few are taken apart at once as
// calculations are worked out.
func (s *Server) readCalculate(x *Exchange) (body calculateBody, print string, err error) {
	if n := x.r.ContentLength; n < 0 || n > smallBody {
		if err := s.hold(x); err != nil {
			return body, "", err
		}
	}
	raw, err := readBody(x)
	if err != nil {
		return body, "", err
	}
	rest := func() {}
	if len(raw) > smallBody {
		rest = s.service.Rest(x.account.ID)
		if err := s.turns.Acquire(x.r.Context(), x.account.ID); err != nil {
			return body, "", err
		}
		defer s.turns.Release(x.account.ID)
	}
	canonical, err := canonicalObject(raw, rest)
	if err != nil {
		return body, "", invalidJSON("The body is not valid JSON: " + err.Error() + ".")
	}
	if body, err = decodeCalculate(canonical.members); err != nil {
		return body, "", err
	}
	return body, fingerprint(canonical.text), nil
}

// await waits until a message is answered, for some time at most, and no longer than until the
// server is to stop.
func (s *Server) await(x *Exchange, m projections.Message, patience time.Duration) (projections.Message, error) {
	ctx, cancel := context.WithTimeout(x.r.Context(), patience)
	defer cancel()
	defer context.AfterFunc(s.running, cancel)()
	return s.service.Await(ctx, x.account.ID, m)
}

// fingerprint tells bodies apart: the hex SHA-256 of the canonical form.
func fingerprint(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
