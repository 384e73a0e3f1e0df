package console

import (
	"errors"
	nethttp "net/http"

	"reckon/commands"
	"reckon/http"
)

// passwordShown is what the page of the password shows.
type passwordShown struct{ Wrong string }

func (c *Console) passwordPage(v *visit) (http.Answer, error) {
	return c.page("password", v, 0, passwordShown{})
}

// changePassword ends all sessions of the user, and begins a new one here.
func (c *Console) changePassword(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	if form.Get("password") != form.Get("again") {
		return c.page("password", v, nethttp.StatusUnprocessableEntity, passwordShown{differ})
	}
	ctx, cancel := within(v)
	defer cancel()
	secret, err := c.auth.ChangePassword(ctx, v.user, form.Get("old"), form.Get("password"), v.address)
	if status, wrong, is := refusal(v, err); is {
		if errors.Is(err, commands.ErrCredentials) {
			wrong = "The password that you have now is another one."
		}
		return c.page("password", v, status, passwordShown{wrong})
	}
	if err != nil {
		return http.Answer{}, late(err)
	}
	v.x.Header().Add("Set-Cookie", c.cookie(c.cookieName(), secret, commands.SessionHolds))
	return redirect(Path), nil
}
