package console

import (
	nethttp "net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// youShown is what the page of who is signed in shows.
type youShown struct {
	Passkeys bool // whether there are any at this address
	Name     string
	Sessions []sessionShown
}

// sessionShown is a browser in which somebody is signed in.
type sessionShown struct {
	projections.Session
	Here bool
}

func (c *Console) youPage(v *visit) (http.Answer, error) { return c.you(v, 0, youShown{}) }

func (c *Console) you(v *visit, status int, shown youShown) (http.Answer, error) {
	shown.Passkeys = c.passkeys != nil
	for _, s := range slices.Backward(v.user.Sessions) {
		if !s.Expired(time.Now()) {
			shown.Sessions = append(shown.Sessions, sessionShown{s, s.ID == v.session.ID})
		}
	}
	return c.page("you", v, status, shown)
}

// named is the id that a form names.
func (v *visit) named() (uuid.UUID, error) {
	form, err := v.form()
	if err != nil {
		return uuid.Nil, err
	}
	id, err := uuid.Parse(form.Get("id"))
	if err != nil {
		return uuid.Nil, nil // which is nothing's
	}
	return id, nil
}

// endSession signs somebody out in one of their browsers.
func (c *Console) endSession(v *visit) (http.Answer, error) {
	id, err := v.named()
	if err != nil {
		return http.Answer{}, err
	}
	if _, is := v.user.Session(id); !is {
		return http.Answer{}, http.Failure(nethttp.StatusNotFound, "error_not_found", "There is no such session among yours.")
	}
	if err := c.auth.EndSession(v.x.Request().Context(), v.user, id); err != nil {
		return http.Answer{}, err
	}
	return redirect(Path + "/you"), nil
}
