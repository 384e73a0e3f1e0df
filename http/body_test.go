package http

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// failureOf is the failure in an error, as "status code: message", "" for none.
func failureOf(err error) string {
	var f *failure
	if errors.As(err, &f) {
		return fmt.Sprintf("%d %s", f.status, f)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestReadBody(t *testing.T) {
	const (
		tooLarge    = "413 error_payload_too_large: The body is too large (limit 1 MiB)."
		unsupported = "415 error_unsupported_media_type: The body must be sent with Content-Type: application/json, in UTF-8."
		compressed  = "415 error_unsupported_media_type: The body must not be compressed: send it without Content-Encoding."
	)
	full := strings.Repeat(" ", 1<<20)
	for _, c := range []struct {
		name    string
		header  nethttp.Header
		body    string
		chunked bool
		want    string
	}{
		{"json", nethttp.Header{"Content-Type": {"application/json"}}, "{}", false, ""},
		{"charset", nethttp.Header{"Content-Type": {`Application/JSON; charset="UTF-8"`}}, "{}", false, ""},
		{"other parameter", nethttp.Header{"Content-Type": {"application/json; profile=x"}}, "{}", false, ""},
		{"other charset", nethttp.Header{"Content-Type": {"application/json; charset=latin1"}}, "{}", false, unsupported},
		{"suffix", nethttp.Header{"Content-Type": {"application/problem+json"}}, "{}", false, unsupported},
		{"text", nethttp.Header{"Content-Type": {"text/plain"}}, "{}", false, unsupported},
		{"malformed", nethttp.Header{"Content-Type": {"application/json;;="}}, "{}", false, unsupported},
		{"twice", nethttp.Header{"Content-Type": {"application/json", "application/json"}}, "{}", false, unsupported},
		{"none", nil, "{}", false, unsupported},
		{"none, no body", nil, "", false, ""},
		{"form, no body", nethttp.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, "", false, unsupported},
		{"identity", nethttp.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"identity"}}, "{}", false, ""},
		{"gzip", nethttp.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"gzip"}}, "{}", false, compressed},
		{"1 MiB", nethttp.Header{"Content-Type": {"application/json"}}, full, false, ""},
		{"1 MiB in chunks", nethttp.Header{"Content-Type": {"application/json"}}, full, true, ""},
		{"over 1 MiB before the media type", nil, full + " ", false, tooLarge},
		{"over 1 MiB in chunks", nil, full + " ", true, tooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/v1/calculate", strings.NewReader(c.body))
			if c.header != nil {
				r.Header = c.header
			}
			if c.chunked {
				r.ContentLength = -1
			}
			body, err := readBody(&Exchange{w: httptest.NewRecorder(), r: r})
			if got := failureOf(err); got != c.want {
				t.Fatalf("%s, want %s", got, c.want)
			}
			if err == nil && string(body) != c.body {
				t.Errorf("read %d bytes of %d", len(body), len(c.body))
			}
		})
	}
}

// TestTooLargeIsAnswered sends a body far beyond the limit as simple clients do: whole, before they
// read anything.
func TestTooLargeIsAnswered(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		_, err := readBody(&Exchange{w: w, r: r})
		_, _ = w.Write([]byte(failureOf(err)))
	}))
	defer server.Close()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	const size = 8 << 20
	if _, err := fmt.Fprintf(connection, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size)); err != nil {
		t.Fatalf("the body is not taken in: %v", err)
	}
	response, err := nethttp.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if answer, err := io.ReadAll(response.Body); !strings.HasPrefix(string(answer), "413 ") {
		t.Errorf("%s, %v", answer, err)
	}
}

// brokenBody is a body that comes so far and then ends in an error.
type brokenBody struct {
	text string
	err  error
}

func (b *brokenBody) Read(p []byte) (int, error) {
	n := copy(p, b.text)
	b.text = b.text[n:]
	if n == 0 {
		return 0, b.err
	}
	return n, nil
}

func TestBrokenBodies(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("read tcp: %w", os.ErrDeadlineExceeded), "408 error_request_timeout: The body did not arrive in time. Send the request again."},
		{io.ErrUnexpectedEOF, "400 error_invalid_json: The body ended before it was complete."},
	} {
		r := httptest.NewRequest("POST", "/v1/calculate", &brokenBody{`{"domain_id":`, c.err})
		r.Header.Set("Content-Type", "application/json")
		if _, err := readBody(&Exchange{w: httptest.NewRecorder(), r: r}); failureOf(err) != c.want {
			t.Errorf("%v: %s, want %s", c.err, failureOf(err), c.want)
		}
	}
}

func TestDecodeCalculate(t *testing.T) {
	const (
		id      = `"domain_id":"0198F2C4-5B1E-7cc3-9a52-3d4e5f607182"`
		prompt  = `"prompt":"a: 1"`
		param   = "422 error_invalid_param: "
		badUUID = param + "domain_id is required and must be a UUID."
		badConv = param + "conversation_id must be a UUID, or be left out for a new conversation."
		badText = param + "prompt is required and must be a string that is not empty."
		badForm = param + "input_format must be natural_language, structured, json or automatic."
		badZone = param + "time_zone must be a string, the IANA name of a time zone."
		large   = "413 error_payload_too_large: prompt is too large (limit 256 KiB)."
		prose   = "413 error_payload_too_large: prompt is too large (limit 16 KiB in natural language)."
	)
	long := func(n int) string { return `"prompt":"` + strings.Repeat("é", n/2) + `"` }
	for _, c := range []struct{ name, body, want string }{
		{"least", id + "," + prompt, ""},
		{"nulls", id + "," + prompt + `,"input_format":null,"conversation_id":null,"time_zone":null`, ""},
		{"empty format", id + "," + prompt + `,"input_format":""`, ""},
		{"unknown members", id + "," + prompt + `,"x":[{"prompt":1}],"Prompt":2`, ""},
		{"no domain", prompt, badUUID},
		{"empty domain", `"domain_id":"",` + prompt, badUUID},
		{"domain without hyphens", `"domain_id":"0198f2c45b1e7cc39a523d4e5f607182",` + prompt, badUUID},
		{"domain in braces", `"domain_id":"{0198f2c4-5b1e-7cc3-9a52-3d4e5f607182}",` + prompt, badUUID},
		{"domain number", `"domain_id":1,` + prompt, badUUID},
		{"no prompt", id, badText},
		{"blank prompt", id + `,"prompt":" \n\t\u00a0"`, badText},
		{"prompt object", id + `,"prompt":{}`, badText},
		{"prompt by another case", id + `,"Prompt":"a"`, badText},
		{"unknown format", id + "," + prompt + `,"input_format":"text"`, badForm},
		{"format in another case", id + "," + prompt + `,"input_format":"JSON"`, badForm},
		{"format boolean", id + "," + prompt + `,"input_format":false`, badForm},
		{"empty conversation", id + "," + prompt + `,"conversation_id":""`, badConv},
		{"conversation array", id + "," + prompt + `,"conversation_id":[]`, badConv},
		{"unknown zone", id + "," + prompt + `,"time_zone":"Mars/Olympus"`, ""},
		{"zone number", id + "," + prompt + `,"time_zone":0`, badZone},
		{"256 KiB", id + "," + long(256<<10), ""},
		{"over 256 KiB before fields", long(256<<10 + 2), large},
		{"16 KiB of prose", id + `,"input_format":"natural_language",` + long(16<<10), ""},
		{"over 16 KiB of prose", `"input_format":"natural_language",` + long(16<<10+2), prose},
		{"over 16 KiB of structured text", id + `,"input_format":"structured",` + long(16<<10+2), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := canonicalObject([]byte("{"+c.body+"}"), func() {})
			if err != nil {
				t.Fatal(err)
			}
			b, err := decodeCalculate(o.members)
			if got := failureOf(err); got != c.want {
				t.Fatalf("%s, want %s", got, c.want)
			}
			if err == nil && b.domain.String() != "0198f2c4-5b1e-7cc3-9a52-3d4e5f607182" {
				t.Errorf("domain %s", b.domain)
			}
		})
	}
}

func TestDecodeCalculateFields(t *testing.T) {
	for format, want := range map[string]string{"": "", "automatic": "", "json": "json", "structured": "structured", "natural_language": "natural_language"} {
		o, err := canonicalObject([]byte(`{"conversation_id":"0198f2c4-5b1e-7cc3-9a52-3d4e5f607183","domain_id":"0198f2c4-5b1e-7cc3-9a52-3d4e5f607182",`+
			`"input_format":"`+format+`","prompt":" <a> \u000a","time_zone":"Europe/Berlin"}`), func() {})
		if err != nil {
			t.Fatal(err)
		}
		b, err := decodeCalculate(o.members)
		if err != nil {
			t.Fatal(err)
		}
		if b.format != want || b.prompt != " <a>" || b.timeZone != "Europe/Berlin" || b.conversation.String() != "0198f2c4-5b1e-7cc3-9a52-3d4e5f607183" {
			t.Errorf("input_format %q: %+v", format, b)
		}
	}
}

func TestIdempotencyKey(t *testing.T) {
	const bad = "422 error_invalid_param: Idempotency-Key must be one value of 1 to 255 visible ASCII characters."
	for _, c := range []struct {
		values []string
		want   string
	}{
		{[]string{"a"}, ""},
		{[]string{strings.Repeat("~", 255)}, ""},
		{[]string{strings.Repeat("~", 256)}, bad},
		{[]string{""}, bad},
		{[]string{"a b"}, bad},
		{[]string{"é"}, bad},
		{[]string{"a\x7f"}, bad},
		{[]string{"a", "a"}, bad},
	} {
		key, err := idempotencyKey(nethttp.Header{"Idempotency-Key": c.values})
		if got := failureOf(err); got != c.want || err == nil && *key != c.values[0] {
			t.Errorf("%q: %s, want %s", c.values, got, c.want)
		}
	}
	if key, err := idempotencyKey(nethttp.Header{}); key != nil || err != nil {
		t.Errorf("no header: %v, %v", key, err)
	}
}

func TestBodyVersion(t *testing.T) {
	for _, c := range []struct {
		setting int
		values  []string
		want    string // of the header, "" for 422
	}{
		{0, nil, "2"}, {2, nil, "2"}, {1, nil, "1"},
		{1, []string{"2"}, "2"}, {2, []string{"1"}, "1"},
		{2, []string{""}, ""}, {2, []string{"3"}, ""}, {2, []string{"02"}, ""}, {2, []string{"1", "1"}, ""},
	} {
		x := &Exchange{w: httptest.NewRecorder(), r: httptest.NewRequest("GET", "/v1/domains", nil)}
		x.account.BodyVersion = c.setting
		if c.values != nil {
			x.r.Header["Body-Version"] = c.values
		}
		version, err := x.bodyVersion()
		if c.want == "" {
			if got := failureOf(err); got != "422 error_invalid_param: Body-Version must be 1 or 2." {
				t.Errorf("%+v: %s", c, got)
			}
			continue
		}
		if err != nil || fmt.Sprint(version) != c.want || x.w.Header().Get("Body-Version") != c.want {
			t.Errorf("%+v: %d, %v, header %q", c, version, err, x.w.Header().Get("Body-Version"))
		}
	}
}

func TestPageQuery(t *testing.T) {
	const (
		badLimit = "422 error_invalid_param: limit must be one integer from 1 to 100."
		badAfter = "422 error_invalid_param: starting_after must be the next_cursor of an earlier page."
		cursor   = "0198f2c4-5b1e-7cc3-9a52-3d4e5f607182"
	)
	for _, c := range []struct {
		query string
		limit int
		after string
		want  string
	}{
		{"", 20, "", ""},
		{"limit=1", 1, "", ""},
		{"limit=100&other=x&other=y", 100, "", ""},
		{"starting_after=" + cursor, 20, cursor, ""},
		{"starting_after=" + strings.ToUpper(cursor), 20, cursor, ""},
		{"limit=0", 0, "", badLimit},
		{"limit=101", 0, "", badLimit},
		{"limit=-1", 0, "", badLimit},
		{"limit=%2B1", 0, "", badLimit},
		{"limit=1.0", 0, "", badLimit},
		{"limit=", 0, "", badLimit},
		{"limit=1&limit=1", 0, "", badLimit},
		{"limit=99999999999999999999", 0, "", badLimit},
		{"starting_after=", 0, "", badAfter},
		{"starting_after=x", 0, "", badAfter},
		{"starting_after=" + cursor + "&starting_after=" + cursor, 0, "", badAfter},
		{"limit=%zz", 0, "", "422 error_invalid_param: The query is not well formed."},
	} {
		limit, after, err := pageQuery(c.query, 20)
		if got := failureOf(err); got != c.want {
			t.Errorf("%s: %s, want %s", c.query, got, c.want)
			continue
		}
		if err == nil && (limit != c.limit || (after == nil) != (c.after == "") || after != nil && after.String() != c.after) {
			t.Errorf("%s: %d, %v", c.query, limit, after)
		}
	}
}
