package admin

import (
	"context"

	"github.com/google/uuid"

	"reckon/http"
)

// bodyLimit is how large a body is that holds no domain, in bytes.
const bodyLimit = 1 << 20

func (q *request) ctx() context.Context { return q.Request().Context() }

// object reads a body that is a JSON object.
func (q *request) object(into any) error {
	body, err := q.Body(bodyLimit, http.JSON)
	if err == nil {
		_, err = http.Object(body, into)
	}
	return err
}

// list is a list that is written as one when it is empty.
func list[T any](of []T) []T {
	if of == nil {
		return []T{}
	}
	return of
}

// answerPart answers with the part of a list that is asked for, under its name. The list is told
// from others by its name and whose it is.
func answerPart[T any](q *request, name string, of uuid.UUID, all []T) (http.Answer, error) {
	part, next, err := http.Part(q.Exchange, uuid.NewSHA1(of, []byte(name)), all)
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Body: map[string]any{name: list(part), "next_cursor": next}}, nil
}
