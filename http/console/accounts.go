package console

import (
	"errors"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// accountShown is an account that can be chosen.
type accountShown struct {
	ID     uuid.UUID
	Name   string
	Role   projections.Role
	Chosen bool
}

func (c *Console) accountsPage(v *visit) (http.Answer, error) {
	list := []accountShown{}
	for _, account := range v.accounts {
		role, _ := account.Role(v.user.ID)
		list = append(list, accountShown{account.ID, called(account), role, account.ID == v.account.ID})
	}
	return c.page("accounts", v, 0, list)
}

func (c *Console) chooseAccount(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
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
	return redirect(Path), nil
}
