package admin

import (
	"sync"
	"testing"

	"reckon/commands/nodes"
	"reckon/schemas/schemastest"
)

// openAPI is the description of the interface.
var openAPI = sync.OnceValue(func() *schemastest.Description {
	d, err := schemastest.OpenAdmin()
	if err != nil {
		panic(err)
	}
	return d
})

func TestOpenAPIPaths(t *testing.T) {
	var routed []string
	for _, r := range New(nodes.Own{}).Face().Routes {
		routed = append(routed, r.Method+" "+r.Path)
	}
	openAPI().Paths(t, routed)
}

func TestOpenAPIReferences(t *testing.T) { openAPI().References(t) }

func TestOpenAPIExamples(t *testing.T) { openAPI().Examples(t, 20) }
