package console

import (
	"reckon/http"
	"reckon/projections"
)

// home says who is signed in, and lists the domains of the account.
func (c *Console) home(v *visit) (http.Answer, error) {
	if err := c.views.Fresh(v.x.Request().Context()); err != nil {
		return http.Answer{}, err
	}
	return c.page("home", v, 0, struct{ Domains []projections.Domain }{c.views.Domains(v.account.ID)})
}
