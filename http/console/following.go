package console

import (
	nethttp "net/http"

	"github.com/go-json-experiment/json/jsontext"

	"reckon/http"
	"reckon/projections"
)

// events is the stream of what becomes of a conversation, which its page listens to: behind the
// event that the page names, or where it is resumed. The stream tells that there is something, and
// the page asks for it. It ends with the session.
func (c *Console) events(v *visit) (http.Answer, error) {
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	after, resumes, err := v.x.LastEvent(v.account.ID, head.ID)
	if err != nil {
		return http.Answer{}, err
	}
	if !resumes {
		var ok bool
		if after, ok = http.EventPosition(v.account.ID, head.ID, v.x.Request().URL.Query().Get("after")); !ok || after > c.views.At() {
			return http.Answer{}, http.Failure(nethttp.StatusUnprocessableEntity, "error_invalid_param", "This is no event of the conversation.")
		}
	}
	return v.x.Follow(http.Stream{
		Account: v.account.ID, Conversation: head.ID, After: after,
		Holds: func() bool { return c.holds(v) },
		Present: func(change projections.Change) (string, jsontext.Value) {
			return http.ChangeKind(change), jsontext.Value("{}")
		},
	})
}

// holds tells whether the session of a visit is still one of a member of its account, and the node
// not cut off from those that would say so.
func (c *Console) holds(v *visit) bool {
	r := v.x.Request()
	_, user, found, err := c.auth.Session(r.Context(), c.secret(r))
	account, known := c.views.Account(v.account.ID)
	_, is := account.Role(user.ID)
	return err == nil && found && known && is
}
