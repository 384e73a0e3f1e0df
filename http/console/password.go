package console

import (
	"errors"
	nethttp "net/http"

	"reckon/commands"
	"reckon/http"
)

func (c *Console) passwordPage(v *visit) (http.Answer, error) {
	return c.page("password", v, 0, nil)
}

// notYours is what is said of another password than that of the user.
const notYours = "The password that you have now is another one."

// changePassword ends all sessions of the user, and begins a new one here.
func (c *Console) changePassword(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	if form.Get("password") != form.Get("again") {
		v.fault(differ, "again")
		return c.page("password", v, nethttp.StatusUnprocessableEntity, nil)
	}
	ctx, cancel := within(v)
	defer cancel()
	secret, err := c.auth.ChangePassword(ctx, v.user, form.Get("old"), form.Get("password"), v.address)
	if status, is := refusal(v, err); is {
		if errors.Is(err, commands.ErrCredentials) {
			v.fault(notYours, "old")
		} else {
			v.faulty(err)
		}
		return c.page("password", v, status, nil)
	}
	if err != nil {
		return http.Answer{}, late(err)
	}
	v.x.Header().Add("Set-Cookie", c.cookie(c.cookieName(), secret, commands.SessionHolds))
	return redirect(Path), nil
}
