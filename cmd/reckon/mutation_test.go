package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

// material is what valid requests are made of. Every list has something in it.
type material struct {
	secrets                                []string // the first one of a key that is good
	domains, conversations, cursors, eTags []string
	prompts                                []contractCase
}

// draft is a request before it is written out.
type draft struct {
	method, path string
	header       [][2]string
	body         []byte
}

// mutator makes requests, all of them from the numbers that it draws.
type mutator struct {
	*rand.Rand
	material
}

// mutant is what is sent over one connection.
type mutant struct {
	packets [][]byte
	slow    bool // the second half comes a while later
	reset   bool // the connection is broken behind the last packet, whatever was answered
}

func (m mutant) bytes() []byte { return bytes.Join(m.packets, nil) }

// keyLength is the length of the Idempotency-Key that a request has where none of those before it
// had it. All begin with keyMark.
const keyMark, keyLength = "mutant-", 24

// awkward is what numbers, words and texts are replaced by.
var awkward = []string{
	"", "0", "-0", "1e999999999", "1e-999999999", "1e400", "0/0", "1/0", "NaN", "Infinity", "-1", "9007199254740993", "0.1e+1", "1,23", "1_000",
	"½", "3/4", "𝟙", "٣", "5 ft 11 in", "10:75", "03/04/2026", "2026-02-30", "9999999-01-01", "-1 month", "today", "now", "yesterday at noon",
	"?", "calculate", "calculate:", "calculate: ?", "in", "to", "->", "scenario: new from 1", "scenario: 99999999999999999999", "last", "new", "# no",
	"%", "%arg0%", "*", "^", "^^2", "^0.5", "()", "((((((((", "))))", "[[1 m],[2,3]]", "[,]", "[]", "|1|2|", "|---|", ":", ";", "kW^99", "m/s/s/s", "€", "USD USD",
	"null", "true", "{}", "[]", "[[[[[[[[[[[[[[[[", `{"a":{"a":{"a":`, `"`, `\`, `\u0000`, `\ud800`, "\r\n", "\n", "\r", "\t", " ", "\x00", "\x7f", "\x1b[2J",
	"\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\ufffd", "\xff", "\xc0\x80", "\xed\xa0\x80", "e\u0301", "ﬁ", "İ", "ß", "K", "Å", "日本語", "👩‍👩‍👧",
	"/", "//", "/..", "%2f", "%00", "%zz", "?", "&", "=", "#", ";", "*/*", "gzip;q=0", "bytes=0-", "W/", `W/"x"`, "chunked", "identity", "100-continue", "close",
	"00000000-0000-0000-0000-000000000000", "00000000-0000-7000-8000-00000000000", "HTTP/1.0", "HTTP/2.0", "HTTP/1.1 ", "PRI", "OPTIONS", "CONNECT",
}

func pick[T any](m *mutator, list []T) T { return list[m.IntN(len(list))] }

// odds is true once in n times.
func (m *mutator) odds(n int) bool { return m.IntN(n) == 0 }

// mutant draws what is sent over a connection: a few requests, spoilt somewhere, in packets.
func (m *mutator) mutant() mutant {
	var all []byte
	for n := 1 + m.IntN(3)*m.IntN(2); n > 0; n-- {
		all = append(all, m.request()...)
	}
	if m.odds(10) {
		all = m.spoilBytes(all)
	}
	c := mutant{slow: m.odds(20), reset: m.odds(12)}
	switch {
	case c.slow:
		c.packets = [][]byte{all[:len(all)/2], all[len(all)/2:]}
	case m.odds(3):
		for len(all) > 0 && len(c.packets) < 40 {
			n := min(len(all), 1+m.IntN(1+len(all)/(1+m.IntN(20))))
			c.packets, all = append(c.packets, all[:n]), all[n:]
		}
		fallthrough
	default:
		c.packets = append(c.packets, all)
	}
	return c
}

// request draws one request as it is sent.
func (m *mutator) request() []byte {
	d := m.valid()
	for n := max(0, m.IntN(5)-2); n > 0; n-- {
		m.spoil(&d)
	}
	var b bytes.Buffer
	version := "HTTP/1.1"
	if m.odds(40) {
		version = pick(m, []string{"HTTP/1.0", "HTTP/1.9", "HTTP/2.0", "http/1.1", ""})
	}
	fmt.Fprintf(&b, "%s %s %s\r\n", d.method, d.path, version)
	for _, h := range d.header {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], h[1])
	}
	m.frame(&b, d.body)
	return b.Bytes()
}

// frame writes the end of the header, and a body whole or in chunks.
func (m *mutator) frame(b *bytes.Buffer, body []byte) {
	length := len(body)
	switch m.IntN(60) {
	case 0:
		length += m.IntN(100)
	case 1:
		length = m.IntN(length + 1)
	case 2:
		fmt.Fprintf(b, "Content-Length: %s\r\n", pick(m, awkward))
	case 3:
		fmt.Fprintf(b, "Transfer-Encoding: %s\r\n", pick(m, awkward))
	}
	if len(body) == 0 && !m.odds(20) {
		b.WriteString("\r\n")
		return
	}
	if !m.odds(4) {
		fmt.Fprintf(b, "Content-Length: %d\r\n\r\n", length)
		b.Write(body)
		return
	}
	b.WriteString("Transfer-Encoding: chunked\r\n\r\n")
	for len(body) > 0 {
		n := min(len(body), 1+m.IntN(1+len(body)))
		extension := ""
		if m.odds(10) {
			extension = ";" + m.spoilt("name=value")
		}
		fmt.Fprintf(b, "%x%s\r\n%s\r\n", n, extension, body[:n])
		body = body[n:]
		if m.odds(50) {
			b.WriteString(m.spoilt("1\r\nx\r\n"))
		}
	}
	b.WriteString("0\r\n")
	if m.odds(10) {
		b.WriteString(m.spoilt("Name: value\r\n"))
	}
	b.WriteString("\r\n")
}

// valid draws a valid request of any endpoint.
func (m *mutator) valid() draft {
	d := draft{method: "GET"}
	set := func(name, value string) { d.header = append(d.header, [2]string{name, value}) }
	set("Host", "reckon.example")
	secret := m.secrets[0]
	if m.odds(20) {
		secret = pick(m, m.secrets)
	}
	set("Authorization", "Bearer "+secret)
	conversation := "/v1/conversations/" + pick(m, m.conversations)
	switch m.IntN(16) {
	case 0:
		d.path = fmt.Sprintf("/v1/conversations?limit=%d", 1+m.IntN(100))
	case 1:
		d.path = fmt.Sprintf("/v1/conversations?limit=%d&starting_after=%s", 1+m.IntN(100), pick(m, m.cursors))
	case 2:
		d.path = conversation
	case 3:
		d.path = fmt.Sprintf("%s?limit=%d&starting_after=%s", conversation, 1+m.IntN(100), pick(m, m.cursors))
	case 4:
		d.path = conversation + "/context"
	case 5:
		d.path = fmt.Sprintf("%s/context/%d", conversation, m.IntN(4))
	case 6:
		d.path = pick(m, []string{"/v1/domains", "/healthz", "/readyz", "/", "/v1"})
	case 7:
		d.path = "/v1/domains/" + pick(m, m.domains) + pick(m, []string{"/variables", "/activities"})
	default:
		d.method, d.path, d.body = "POST", "/v1/calculate", m.body()
		set("Content-Type", "application/json")
	}
	if d.method == "GET" && m.odds(8) {
		d.method = "HEAD"
	}
	if m.odds(2) {
		key := fmt.Sprintf("%s%0*d", keyMark, keyLength-len(keyMark), m.Uint32())
		if m.odds(4) {
			key = fmt.Sprintf("again-%d", m.IntN(50))
		}
		set("Idempotency-Key", key)
	}
	for _, h := range [][2]string{
		{"Accept-Encoding", "gzip"}, {"If-None-Match", pick(m, m.eTags)}, {"Body-Version", pick(m, []string{"1", "2"})},
		{"Prefer", fmt.Sprintf("wait=%d", m.IntN(40))}, {"X-Request-Id", "request-1"}, {"Expect", "100-continue"}, {"Connection", "close"}, {"Trailer", "Name"},
	} {
		if m.odds(5) {
			set(h[0], h[1])
		}
	}
	return d
}

// body draws the body of a calculation.
func (m *mutator) body() []byte {
	c := pick(m, m.prompts)
	text := c.text()
	if m.odds(2) {
		for n := 1 + m.IntN(3); n > 0; n-- {
			text = m.spoilt(text)
		}
	}
	domain := m.domains[0]
	if c.has("other") {
		domain = m.domains[1]
	}
	if m.odds(20) {
		domain = pick(m, m.domains)
	}
	members := []string{"domain_id", domain, "prompt", text}
	if m.odds(2) {
		members = append(members, "conversation_id", pick(m, m.conversations))
	}
	format := ""
	for _, f := range []string{"structured", "json", "natural_language"} {
		if c.has(f) {
			format = f
		}
	}
	if m.odds(8) {
		format = pick(m, []string{"structured", "json", "natural_language", "automatic"})
	}
	if format != "" {
		members = append(members, "input_format", format)
	}
	if m.odds(8) {
		members = append(members, "time_zone", pick(m, []string{"Europe/Berlin", "Pacific/Kiritimati", "Local", "../../etc/passwd", "UTC"}))
	}
	var b bytes.Buffer
	for i := 0; i < len(members); i += 2 {
		value, err := json.Marshal(members[i+1])
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, `,"%s":%s`, members[i], value)
	}
	b.WriteByte('}')
	b.Bytes()[0] = '{'
	return b.Bytes()
}

// spoil changes one thing of a request.
func (m *mutator) spoil(d *draft) {
	switch m.IntN(9) {
	case 0:
		d.method = pick(m, []string{"PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "POST", "HEAD", m.spoilt(d.method)})
	case 1, 2:
		d.path = strings.NewReplacer(" ", "", "\n", "", "\r", "").Replace(m.spoilt(d.path))
	case 3:
		d.header = slices.Delete(d.header, m.IntN(len(d.header)), len(d.header))
		d.header = append(d.header, [2]string{"Host", "reckon.example"})
	case 4, 5:
		h := &d.header[m.IntN(len(d.header))]
		h[m.IntN(2)] = m.spoilt(h[m.IntN(2)])
	case 6:
		again := pick(m, d.header)
		for n := 1 << m.IntN(10); n > 0; n-- {
			d.header = append(d.header, again)
		}
	default:
		d.body = m.spoilBytes(d.body)
	}
}

// spoilt is a text that was changed by its words, numbers and characters.
func (m *mutator) spoilt(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n:,;/|[]{}()\"=&?", r) })
	word := ""
	if len(words) > 0 {
		word = pick(m, words)
	}
	other := pick(m, awkward)
	if m.odds(4) && len(words) > 0 {
		other = pick(m, words)
	}
	at := m.IntN(len(text) + 1)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	switch m.IntN(8) {
	case 0, 1:
		return strings.Replace(text, word, other, 1)
	case 2:
		return strings.ReplaceAll(text, word, other)
	case 3:
		return text[:at] + other + text[at:]
	case 4:
		return text[:at] + strings.Repeat(other, 1<<m.IntN(9)) + text[at:]
	case 5:
		lines := strings.Split(text, "\n")
		m.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return strings.Join(lines, "\n")
	case 6:
		return text[:at]
	}
	return m.grown(text)
}

// grown is a text with a part of it many times, up to somewhat more than what is accepted.
func (m *mutator) grown(text string) string {
	from := m.IntN(len(text) + 1)
	part := text[from:min(len(text), from+1+m.IntN(200))]
	most := 1 << m.IntN(19)
	if m.odds(30) {
		most = 1 << 21
	}
	return text[:from] + strings.Repeat(part, 1+m.IntN(1+min(most, 1<<21/(1+len(part))))) + text[from:]
}

// spoilBytes changes bytes wherever they stand.
func (m *mutator) spoilBytes(data []byte) []byte {
	data = slices.Clone(data)
	if len(data) == 0 {
		return []byte(pick(m, awkward))
	}
	at := m.IntN(len(data))
	switch m.IntN(8) {
	case 0:
		data[at] ^= 1 << m.IntN(8)
	case 1:
		data[at] = byte(m.IntN(256))
	case 2:
		return data[:at]
	case 3:
		return slices.Delete(data, at, min(len(data), at+1+m.IntN(20)))
	case 4:
		return []byte(m.grown(string(data)))
	case 6:
		from := m.IntN(len(data))
		return slices.Insert(data, at, data[from:min(len(data), from+m.IntN(100))]...)
	default:
		return []byte(m.spoilt(string(data)))
	}
	return data
}

// withFreshKeys is the same request under idempotency keys that were not used before.
func (m mutant) withFreshKeys() mutant {
	all := m.bytes()
	for at := 0; ; {
		i := bytes.Index(all[at:], []byte(keyMark))
		if i < 0 || at+i+keyLength > len(all) {
			return mutant{packets: [][]byte{all}}
		}
		at += i + len(keyMark)
		copy(all[at:at+keyLength-len(keyMark)], strings.ReplaceAll(uuid.NewString(), "-", ""))
	}
}
