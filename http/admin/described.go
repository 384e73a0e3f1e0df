package admin

import (
	"reckon/http"
	"reckon/schemas"
)

// described answers with the description of the interface, without a token.
func described(*http.Exchange) (http.Answer, error) {
	return http.Answer{
		Header: map[string]string{"Cache-Control": "no-cache", "Content-Type": "application/yaml"}, // RFC 9512
		Body:   []byte(schemas.AdminOpenAPI()),
	}, nil
}
