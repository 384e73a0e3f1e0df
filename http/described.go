package http

import (
	"fmt"
	nethttp "net/http"
	"sync"

	"go.yaml.in/yaml/v4"

	"reckon/schemas"
)

// describedJSON is the description of the interface as JSON, members in the order of their names.
var describedJSON = sync.OnceValue(func() []byte {
	var document any
	if err := yaml.Unmarshal([]byte(schemas.OpenAPI()), &document); err != nil {
		panic(fmt.Sprintf("read openapi.yaml: %v", err)) // it is a part of the program
	}
	return encode(document)
})

// described answers GET /openapi.yaml and /openapi.json, without a key: a client is made of it
// before anybody has one.
func (s *Server) described(x *exchange) (answer, error) {
	a := answer{status: nethttp.StatusOK, header: map[string]string{"Cache-Control": "no-cache"}}
	if x.route == "/openapi.json" {
		a.body = describedJSON()
	} else {
		a.header["Content-Type"] = "application/yaml" // RFC 9512
		a.body = []byte(schemas.OpenAPI())
	}
	return a, nil
}
