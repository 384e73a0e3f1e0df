package console

import (
	"bytes"
	"errors"
	"slices"

	"golang.org/x/net/html"

	"reckon/commands"
	"reckon/events"
)

// fault is something that is wrong with a form that was sent, and the ids of the fields of the page
// that it is about; none where it is about no field.
type fault struct {
	Says   string
	Fields []string
}

// fault notes something that is wrong with a form. The page that answers says it above, and at the
// fields.
func (v *visit) fault(says string, fields ...string) {
	v.faults = append(v.faults, fault{says, fields})
}

// faulty notes what an error says is wrong with a form, at fields, or else at those that the error
// is about.
func (v *visit) faulty(err error, fields ...string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, each := range joined.Unwrap() {
			v.faulty(each, fields...)
		}
		return
	}
	if len(fields) == 0 {
		fields = fieldsOf(err)
	}
	v.fault(sentence(err), fields...)
}

// Faults are what is wrong with the form that was sent.
func (v *visit) Faults() []fault { return v.faults }

// fieldIDs are the ids of fields that are called otherwise than /admin/v1 calls what they are.
var fieldIDs = map[string][]string{
	"time_zone": {"zone"}, "body_version": {"version"}, "retention_days": {"retention"}, "expires_at": {"expires"}, "scopes": {"key-domain"},
	"events": events.WebhookEvents,
}

// fieldsOf are the ids of the fields that an error is about, nil for none.
func fieldsOf(err error) []string {
	if refused := (*commands.RefusedError)(nil); errors.As(err, &refused) && refused.Field != "" {
		if ids := fieldIDs[refused.Field]; ids != nil {
			return ids
		}
		return []string{refused.Field}
	}
	for _, about := range []struct {
		err    error
		fields []string
	}{
		{commands.ErrCredentials, []string{"email", "password"}}, {commands.ErrPassword, []string{"password"}}, {commands.ErrLink, []string{"link"}},
		{commands.ErrExists, []string{"name"}}, {commands.ErrOneself, []string{"email"}}, {errNoEvents, events.WebhookEvents},
		{errTaken, []string{"text"}}, {errOther, []string{"text"}},
	} {
		if errors.Is(err, about.err) {
			return about.fields
		}
	}
	return nil
}

// faulted is a page whose fields say what is wrong with them: they are marked as invalid and
// described by a message that stands behind the last of them, in parts that are unfolded.
func faulted(page []byte, faults []fault) []byte {
	if !slices.ContainsFunc(faults, func(f fault) bool { return len(f.Fields) > 0 }) {
		return page
	}
	var out, message []byte
	var folded []int     // where, in out, the open parts that fold begin to say so; below 0 for those that say it
	var awaited []string // the elements behind whose ends the message stands
	z := html.NewTokenizer(bytes.NewReader(page))
	for within := ""; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return append(out, z.Raw()...)
		}
		raw := slices.Clone(z.Raw())
		token := z.Token()
		switch {
		case kind == html.EndTagToken && token.Data == "details" && len(folded) > 0:
			folded = folded[:len(folded)-1]
		case kind == html.StartTagToken && token.Data == "details":
			folded = append(folded, len(out)+len("<details"))
		case token.Data == "label":
			within = map[bool]string{true: "label"}[kind == html.StartTagToken]
		case kind == html.StartTagToken && len(attribute(token, "id")) > 0:
			id := attribute(token, "id")
			for _, f := range faults {
				if !slices.Contains(f.Fields, id) {
					continue
				}
				last := f.Fields[len(f.Fields)-1]
				describe(&token, last+"-fault")
				raw = []byte(token.String())
				for i, at := range slices.Backward(folded) {
					if at > 0 {
						out = slices.Insert(out, at, []byte(" open")...)
						folded[i] = -1
					}
				}
				if id != last {
					continue
				}
				message = []byte(`<p class="fault" id="` + html.EscapeString(id) + `-fault">` + html.EscapeString(f.Says) + "</p>\n")
				if awaited = nil; token.Data != "input" {
					awaited = append(awaited, token.Data)
				}
				if within != "" {
					awaited = append(awaited, within)
				}
			}
		}
		out = append(out, raw...)
		if kind == html.EndTagToken && len(awaited) > 0 && token.Data == awaited[0] {
			awaited = awaited[1:]
		}
		if len(awaited) == 0 {
			out, message = append(out, message...), nil
		}
	}
}

func attribute(token html.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// describe marks a field as invalid, described by what has an id first.
func describe(field *html.Token, by string) {
	if had := attribute(*field, "aria-describedby"); had != "" {
		by += " " + had
	}
	field.Attr = slices.DeleteFunc(field.Attr, func(a html.Attribute) bool { return a.Key == "aria-describedby" })
	field.Attr = append(field.Attr, html.Attribute{Key: "aria-invalid", Val: "true"}, html.Attribute{Key: "aria-describedby", Val: by})
}
