package http

import (
	"fmt"
	nethttp "net/http"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"reckon/schemas"
)

// describedJSON is the description of the interface as JSON by body version, members in the order
// of their names.
var describedJSON = map[int]func() []byte{1: sync.OnceValue(asJSON(1)), 2: sync.OnceValue(asJSON(2))}

func asJSON(bodyVersion int) func() []byte {
	return func() []byte {
		var document any
		if err := yaml.Unmarshal([]byte(schemas.OpenAPI(bodyVersion)), &document); err != nil {
			panic(fmt.Sprintf("read the description of body version %d: %v", bodyVersion, err)) // it is a part of the program
		}
		return encode(document)
	}
}

// described answers the paths of the description, without a key: a client is made of it before
// anybody has one.
func described(bodyVersion int) handler {
	return func(_ *Server, x *Exchange) (answer, error) {
		a := answer{status: nethttp.StatusOK, header: map[string]string{"Cache-Control": "no-cache"}}
		if strings.HasSuffix(x.route, ".json") {
			a.body = describedJSON[bodyVersion]()
		} else {
			a.header["Content-Type"] = "application/yaml" // RFC 9512
			a.body = []byte(schemas.OpenAPI(bodyVersion))
		}
		return a, nil
	}
}
