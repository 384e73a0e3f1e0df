package console

import (
	"errors"
	"html/template"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
)

// whyShown is what the page of an explanation shows.
type whyShown struct {
	ID, Message uuid.UUID
	Title       string
	Why         commands.Explanation
	Drawing     template.HTML // "" for what is too large for that
}

// why shows how the values of a message came about, step by step.
func (c *Console) why(v *visit) (http.Answer, error) {
	head, err := c.head(v)
	if err != nil {
		return http.Answer{}, err
	}
	nothing := http.NotFound("There is no such message in this conversation.")
	id, ok := v.x.ID("message")
	if !ok || id == uuid.Nil {
		return http.Answer{}, nothing
	}
	s := whyShown{ID: head.ID, Message: id, Title: titleOf(head)}
	err = c.service.Analyse(v.x.Request().Context(), head, []commands.Place{{Message: id}}, func(list []commands.Kept) error {
		if s.Why = list[0].Explain(); len(s.Why.Given)+len(s.Why.Steps) <= maxDrawn && len(s.Why.Steps) > 0 {
			s.Drawing = graphs(s.Why.SVG)
		}
		return nil
	})
	if errors.Is(err, commands.ErrUnknownMessage) {
		err = nothing
	}
	if err != nil {
		return http.Answer{}, err
	}
	return c.page("why", v, 0, s)
}
