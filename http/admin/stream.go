package admin

import (
	"errors"
	"io"

	"reckon/events"
	"reckon/http"
)

// lines answers with JSON objects, one a line, as they come. An error that has an answer of its own
// is a last line with the member error; after another one the answer is cut off.
func lines(work func(send func(name string, value any) error) error) http.Answer {
	return http.Answer{
		Header: map[string]string{"Content-Type": "application/jsonl"},
		Stream: func(to io.Writer) error {
			send := func(name string, value any) error {
				text, err := events.Marshal(map[string]any{name: value})
				if err == nil {
					_, err = to.Write(append(text, '\n'))
				}
				return err
			}
			err := answered(work(send))
			if refused := (interface{ Told() (code, message string) })(nil); errors.As(err, &refused) {
				code, message := refused.Told()
				return send("error", map[string]any{"code": code, "message": message, "params": nil})
			}
			return err
		},
	}
}
