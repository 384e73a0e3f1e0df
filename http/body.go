package http

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	nethttp "net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"reckon/commands"
)

// Limits of a request body, in bytes. Of one that is too large drainLimit more is taken in and
// dropped, since a sender that is cut off in the middle sees a broken connection instead of the
// answer.
const (
	bodyLimit   = 1 << 20
	drainLimit  = 16 << 20
	promptLimit = 256 << 10
)

// calculateBody is the body of POST /v1/calculate.
type calculateBody struct {
	domain       uuid.UUID
	format       string // "" is automatic
	prompt       string
	conversation *uuid.UUID // nil when absent
	timeZone     string     // "" when absent
	language     string     // tag of one that is known, "" when absent
}

// formats are the values of input_format, with what they are called further in.
var formats = map[string]string{
	"":                 "",
	"automatic":        "",
	"natural_language": "natural_language",
	"structured":       "structured",
	"json":             "json",
}

// readBody reads a body of at most 1 MiB that must be JSON by its headers.
func readBody(x *Exchange) ([]byte, error) { return readUpTo(x, bodyLimit, mediaType) }

// readUpTo reads a body whole: 413 when it is too large, however it was sent, then what check says
// of its headers, 408 when it stopped coming and 400 when it was cut short.
func readUpTo(x *Exchange, limit int64, check func(header nethttp.Header, length int) error) ([]byte, error) {
	w, r := x.w, x.r
	size := fmt.Sprintf("%d MiB", limit>>20)
	if limit < 1<<20 {
		size = fmt.Sprintf("%d KiB", limit>>10)
	}
	large := tooLarge("The body", size)
	if r.ContentLength > limit && strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		w.Header().Set("Connection", "close")
		return nil, large
	}
	x.read = true
	var buffer bytes.Buffer
	if r.ContentLength > smallBody { // which counts, so that what is only announced may have its place
		buffer.Grow(int(min(r.ContentLength, limit)) + bytes.MinRead)
	}
	_, err := buffer.ReadFrom(io.LimitReader(r.Body, limit+1))
	body := buffer.Bytes()
	if int64(len(body)) > limit {
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit) // the answer is the same however much came
		return nil, large
	}
	media := check(r.Header, len(body))
	switch {
	case media != nil:
		return nil, media
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		return nil, stalled
	case err != nil:
		return nil, invalidJSON("The body ended before it was complete.")
	}
	return body, nil
}

// mediaType checks the headers that say what a body is: application/json in UTF-8, not encoded
// further. Nothing need be said of an empty body.
func mediaType(header nethttp.Header, length int) error {
	for _, encoding := range header.Values("Content-Encoding") {
		if !strings.EqualFold(encoding, "identity") {
			return unsupportedMediaType("The body must not be compressed: send it without Content-Encoding.")
		}
	}
	types := header.Values("Content-Type")
	if len(types) == 0 && length == 0 {
		return nil
	}
	if len(types) == 1 {
		media, parameters, err := mime.ParseMediaType(types[0])
		charset, given := parameters["charset"]
		if err == nil && media == "application/json" && (!given || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	return unsupportedMediaType("The body must be sent with Content-Type: application/json, in UTF-8.")
}

// decodeCalculate reads the members of a body, by their names in quotes: 413 when the prompt is too
// large, then 422 for the first field that is not as it must be.
func decodeCalculate(members map[string]jsontext.Value) (calculateBody, error) {
	var b calculateBody
	prompt, promptOK := text(members[`"prompt"`])
	format, formatOK := text(members[`"input_format"`])
	if len(prompt) > promptLimit {
		return b, tooLarge("prompt", "256 KiB")
	}
	if format == "natural_language" && len(prompt) > commands.MaxProse {
		return b, longProse
	}

	var ok bool
	domain, _ := text(members[`"domain_id"`])
	if b.domain, ok = canonicalUUID(domain); !ok {
		return b, invalidParam("domain_id", "is required and must be a UUID")
	}
	if members[`"input_format"`] != nil {
		b.format, ok = formats[format]
		if !formatOK || !ok {
			return b, invalidParam("input_format", "must be natural_language, structured, json or automatic")
		}
	}
	if !promptOK || strings.TrimSpace(prompt) == "" {
		return b, invalidParam("prompt", "is required and must be a string that is not empty")
	}
	b.prompt = strings.TrimRight(prompt, " \t\r\n") // says nothing, and would be kept for ever
	if raw := members[`"conversation_id"`]; raw != nil {
		conversation, _ := text(raw)
		id, ok := canonicalUUID(conversation)
		if !ok {
			return b, invalidParam("conversation_id", "must be a UUID, or be left out for a new conversation")
		}
		b.conversation = &id
	}
	if raw := members[`"time_zone"`]; raw != nil {
		if b.timeZone, ok = text(raw); !ok {
			return b, invalidParam("time_zone", "must be a string, the IANA name of a time zone")
		}
	}
	if raw := members[`"language"`]; raw != nil {
		tag, _ := text(raw)
		b.language = strings.ToLower(tag) // as BCP 47 tags are compared
		if known := commands.Languages(); !slices.Contains(known, b.language) {
			return b, invalidParam("language", "must be one of "+strings.Join(known, ", ")+", or be left out for that of the account, or of the domain")
		}
	}
	return b, nil
}

// text reads a member that must be a string; ok is false of one that is absent or something else.
func text(value jsontext.Value) (s string, ok bool) {
	ok = value.Kind() == '"' && json.Unmarshal(value, &s) == nil
	return s, ok
}

// idempotencyKey reads the header, nil when it is absent.
func idempotencyKey(header nethttp.Header) (*string, error) {
	values := header.Values("Idempotency-Key")
	if len(values) == 0 {
		return nil, nil
	}
	if len(values) > 1 || !visible(values[0], 255) {
		return nil, invalidParam("Idempotency-Key", "must be one value of 1 to 255 visible ASCII characters")
	}
	return &values[0], nil
}

// bodyVersion chooses the shape of the answer: the header, else the account's setting, else 2. The
// answer names it.
func (x *Exchange) bodyVersion() (int, error) {
	version := cmp.Or(x.account.BodyVersion, 2)
	if values := x.r.Header.Values("Body-Version"); len(values) > 0 {
		if len(values) > 1 || values[0] != "1" && values[0] != "2" {
			return 0, invalidParam("Body-Version", "must be 1 or 2")
		}
		version = int(values[0][0] - '0')
	}
	x.w.Header().Set("Body-Version", strconv.Itoa(version))
	return version, nil
}
