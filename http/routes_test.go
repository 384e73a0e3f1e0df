package http

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRefusals asks the handlers, past authentication, for what they refuse before they look into
// the views. Where a request is wrong in several ways, the first of the order of checks is
// answered.
func TestRefusals(t *testing.T) {
	const (
		id       = "0198f2c4-5b1e-7cc3-9a52-3d4e5f607182"
		json     = "application/json"
		valid    = `{"domain_id":"` + id + `","prompt":"a: 1"}`
		noDomain = "404 error_not_found: There is no domain with this id."
		noConv   = "404 error_not_found: There is no conversation with this id."
		version  = "422 error_invalid_param: Body-Version must be 1 or 2."
	)
	s := opened()
	for _, c := range []struct {
		request string // method and path
		header  map[string]string
		body    string
		want    string
	}{
		{"GET /v1/nothing", nil, "", "404 error_not_found: There is nothing at this path."},
		{"PUT /v1/calculate", map[string]string{"Content-Type": "x"}, "{", "405 error_method_not_allowed: This path does not answer this method. It answers POST."},
		{"POST /v1/calculate", map[string]string{"Content-Type": "x"}, strings.Repeat("{", 1<<20+1), "413 error_payload_too_large: The body is too large (limit 1 MiB)."},
		{"POST /v1/calculate", map[string]string{"Content-Type": "x"}, "{", "415 error_unsupported_media_type: The body must be sent with Content-Type: application/json, in UTF-8."},
		{"POST /v1/calculate", nil, "", "400 error_invalid_json: The body is not valid JSON: it must be an object."},
		{"POST /v1/calculate", map[string]string{"Content-Type": json, "Idempotency-Key": ""}, "{", "400 error_invalid_json: The body is not valid JSON: the name of a member is expected, at byte 1."},
		{"POST /v1/calculate", map[string]string{"Content-Type": json, "Idempotency-Key": ""}, "{}", "422 error_invalid_param: domain_id is required and must be a UUID."},
		{"POST /v1/calculate", map[string]string{"Content-Type": json, "Idempotency-Key": ""}, valid, "422 error_invalid_param: Idempotency-Key must be one value of 1 to 255 visible ASCII characters."},
		{"POST /v1/calculate", map[string]string{"Content-Type": json, "Body-Version": "3"}, valid, version},
		{"GET /v1/conversations?limit=0", map[string]string{"Body-Version": "3"}, "", version},
		{"GET /v1/conversations?limit=0", nil, "", "422 error_invalid_param: limit must be one integer from 1 to 100."},
		{"GET /v1/conversations/x", map[string]string{"Body-Version": "3"}, "", noConv},
		{"GET /v1/conversations/%7B" + id + "%7D", nil, "", noConv},
		{"GET /v1/conversations/" + strings.ReplaceAll(id, "-", ""), nil, "", noConv},
		{"GET /v1/conversations/" + id, map[string]string{"Body-Version": "x"}, "", version},
		{"GET /v1/conversations/x/context", nil, "", noConv},
		{"HEAD /v1/conversations/x/context/1", nil, "", noConv},
		{"GET /v1/domains", map[string]string{"Body-Version": "0"}, "", version},
		{"GET /v1/domains/x/variables", nil, "", noDomain},
		{"GET /v1/domains/x/activities", nil, "", noDomain},
	} {
		method, target, _ := strings.Cut(c.request, " ")
		x := &Exchange{w: httptest.NewRecorder(), r: httptest.NewRequest(method, target, strings.NewReader(c.body))}
		for name, value := range c.header {
			x.r.Header.Set(name, value)
		}
		handle, err := s.find(x)
		if err == nil {
			_, err = handle(s, x)
		}
		if got := failureOf(err); got != c.want {
			t.Errorf("%s: %s, want %s", c.request, got, c.want)
		}
	}
}
