package console

import (
	"errors"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// accountsShown is what the page of one's accounts shows.
type accountsShown struct {
	List []accountShown
	Kept string // form that is sent when one is chosen, "" for none
}

// accountShown is an account that can be chosen.
type accountShown struct {
	ID     uuid.UUID
	Name   string
	Role   projections.Role
	Chosen bool
}

func (c *Console) accountsPage(v *visit) (http.Answer, error) { return c.accountsKeeping(v, "") }

func (c *Console) accountsKeeping(v *visit, kept string) (http.Answer, error) {
	s := accountsShown{Kept: kept}
	for _, account := range v.accounts {
		role, _ := account.Role(v.user.ID)
		s.List = append(s.List, accountShown{account.ID, called(account), role, account.ID == v.account.ID})
	}
	return c.page("accounts", v, 0, s)
}

func (c *Console) chooseAccount(v *visit) (http.Answer, error) {
	form, err := v.formOf(maxKept)
	if err != nil {
		return http.Answer{}, err
	}
	kept, led := v.kept(form)
	if led {
		return c.accountsKeeping(v, kept)
	}
	id, err := uuid.Parse(form.Get("account"))
	if err != nil {
		id = uuid.Nil // which is nobody's
	}
	err = c.auth.MoveSession(v.x.Request().Context(), v.user, v.session.ID, id)
	if errors.Is(err, commands.ErrNone) {
		return http.Answer{}, http.NotFound("There is no such account among yours.")
	}
	if err != nil {
		return http.Answer{}, err
	}
	if k := keptOf(kept); k != nil {
		return c.goOn(v, k)
	}
	return redirect(Path), nil
}
