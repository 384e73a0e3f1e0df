package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/engine/language"
	"reckon/engine/value"
	"reckon/http"
)

// proseWait is how long the answer to prose is waited for before the page shows that it is awaited.
const proseWait = 2 * time.Second

// Prefixes of the names of a form's fields, in front of the key of a variable.
const (
	givenField = "given."
	unitField  = "unit."
	wasField   = "was." // what the field of a value had at first: one that still has it states nothing
)

// statement is a JSON prompt, as a form makes it.
type statement struct {
	Inputs    []stated         `json:"inputs"`
	Calculate *statementTarget `json:"calculate,omitempty"`
	Scenario  string           `json:"scenario,omitempty"`
}

type stated struct {
	Key   string     `json:"key"`
	Value value.Text `json:"value"`
}

type statementTarget struct {
	Key  string            `json:"key"`
	Unit *string           `json:"unit,omitempty"`
	Also []statementTarget `json:"also,omitempty"`
}

// ask calculates what a form asks: words as they are, or fields of variables.
func (c *Console) ask(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	r, err := c.request(v, form)
	if err != nil {
		return http.Answer{}, err
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return redirect(back(r)), nil // there is nothing to ask
	}
	prose, err := v.x.Calculates(v.account)
	if err != nil {
		return http.Answer{}, err
	}
	r.AllowProse = prose
	if once, ok := http.CanonicalUUID(form.Get("once")); ok { // a form that is sent twice asks once
		key := "console-" + once.String()
		r.IdempotencyKey, r.Fingerprint = &key, fingerprint(r)
	}
	answer, err := c.service.Calculate(v.x.Request().Context(), r)
	if err != nil {
		return http.Answer{}, inWords(err)
	}
	m := answer.Message
	ctx, cancel := within(v)
	defer cancel()
	if m, err = c.awaited(ctx, v, m); err != nil {
		return http.Answer{}, err
	}
	return redirect(conversationPath(m.ConversationID) + "#" + m.MessageID.String()), nil
}

// inWords explains errors of asking in words for people.
func inWords(err error) error {
	switch {
	case errors.Is(err, commands.ErrPromptJSON):
		return http.Failure(nethttp.StatusUnprocessableEntity, "error_invalid_json", "What begins with { is read as JSON, and this is not valid JSON. Go back and correct it.")
	case errors.Is(err, commands.ErrPromptTooLong):
		return http.Failure(nethttp.StatusRequestEntityTooLarge, "error_payload_too_large", "That is too long for a question in words. Lines such as “distance: 150 mi” may be longer.")
	case errors.Is(err, commands.ErrUnknownDomain):
		return http.NotFound("There is no such domain in this account any more.")
	case errors.Is(err, commands.ErrUnknownConversation):
		return http.NotFound("There is no such conversation in this account.")
	}
	return err
}

// back is where a form came from.
func back(r commands.Request) string {
	if r.Conversation != nil {
		return conversationPath(*r.Conversation)
	}
	return Path + "?" + url.Values{"domain": {r.Domain.String()}}.Encode()
}

// fingerprint tells requests apart.
func fingerprint(r commands.Request) string {
	h := sha256.New()
	for _, part := range []string{r.Domain.String(), r.Format, r.Language, r.Prompt} {
		h.Write([]byte(part + "\x00"))
	}
	if r.Conversation != nil {
		h.Write(r.Conversation[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// request reads a form that asks. Examples are buttons with the domain and the words in them.
func (c *Console) request(v *visit, form url.Values) (commands.Request, error) {
	r := commands.Request{Account: v.account, Source: commands.SourceChat, Trace: v.x.Trace, Prompt: strings.ReplaceAll(form.Get("prompt"), "\r\n", "\n")}
	domain := form.Get("domain")
	if id, words, ok := strings.Cut(form.Get("example"), " "); ok {
		domain, r.Prompt = id, words
	}
	var ok bool
	if r.Domain, ok = http.CanonicalUUID(domain); !ok {
		return r, http.NotFound("Choose one of the domains.")
	}
	if text := form.Get("conversation"); text != "" {
		id, ok := http.CanonicalUUID(text)
		if !ok {
			return r, inWords(commands.ErrUnknownConversation)
		}
		r.Conversation = &id
	}
	if tag := form.Get("language"); slices.Contains(commands.Languages(), tag) {
		r.Language = tag
	}
	if s, ok := statementOf(form, language.WritingIn(r.Language)); ok {
		text, err := json.Marshal(s)
		if err != nil {
			return r, err
		}
		r.Format, r.Prompt = "json", string(text)
	}
	return r, nil
}

// statementOf is what the fields of a form state, if there are any. A field of a number may have
// its unit in a field of its own, which counts where the number has none. An empty field states
// nothing. Numbers are written as the language does.
func statementOf(form url.Values, w language.Writing) (s statement, ok bool) {
	names := []string{}
	for name := range form {
		if strings.HasPrefix(name, givenField) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	s.Inputs = []stated{}
	for _, name := range names {
		text, key := strings.TrimSpace(form.Get(name)), strings.TrimPrefix(name, givenField)
		if text == "" || text == form.Get(wasField+key) {
			continue
		}
		text = w.Read(text)
		if unit := form.Get(unitField + key); unit != "" && unit != "1" && isNumber(text) {
			text += " " + unit
		}
		s.Inputs = append(s.Inputs, stated{key, value.Scalar(text)})
	}
	s.Scenario = form.Get("scenario")
	if target := form.Get("target"); target != "" {
		s.Calculate = &statementTarget{Key: target}
		if unit := form.Get("target_unit"); unit != "" {
			s.Calculate.Unit = &unit
		}
	}
	return s, len(s.Inputs) > 0 || form.Get("prompt") == "" && s.Scenario != "" && (len(names) == 0 || s.Calculate != nil)
}

// isNumber tells whether a text is a number without a unit.
func isNumber(text string) bool {
	return strings.Trim(text, "+-−0123456789.,_eE ") == "" && strings.ContainsAny(text, "0123456789")
}

// once is what makes a form ask once.
func once() uuid.UUID { return uuid.New() }

func conversationPath(id uuid.UUID) string { return Path + "/conversations/" + id.String() }
