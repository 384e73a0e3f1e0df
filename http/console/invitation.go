package console

import (
	nethttp "net/http"
	"strings"

	"reckon/http"
)

// invitationShown is what the page of a link shows. The page's script puts the link in, which the
// server does not see before the form is sent.
type invitationShown struct{ Link string }

func (c *Console) invitationPage(v *visit) (http.Answer, error) {
	return c.page("invitation", v, 0, invitationShown{})
}

// differ is what is said where a password was typed in two ways.
const differ = "The two passwords differ. Type the same one twice."

func (c *Console) acceptInvitation(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	link := strings.TrimSpace(form.Get("link"))
	shown := invitationShown{Link: link}
	if form.Get("password") != form.Get("again") {
		v.fault(differ, "again")
		return c.page("invitation", v, nethttp.StatusUnprocessableEntity, shown)
	}
	secret := link
	if at := strings.LastIndexByte(link, '#'); at >= 0 { // the whole address
		secret = link[at+1:]
	}
	ctx, cancel := within(v)
	defer cancel()
	_, session, err := c.auth.ByLink(ctx, secret, form.Get("password"), v.address)
	if status, is := refusal(v, err); is {
		v.faulty(err)
		return c.page("invitation", v, status, shown)
	}
	if err != nil {
		return http.Answer{}, late(err)
	}
	return c.enter(v, session, Path)
}
