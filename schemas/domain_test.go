package schemas_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Editors show the description of a member where they complete it, so each member has one of its
// own, and so has each definition.
func TestMembersOfDomainFilesAreDescribed(t *testing.T) {
	text, err := os.ReadFile("domain.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	members := 0
	var look func(path string, v any)
	look = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				look(path, item)
			}
		case map[string]any:
			for _, group := range []string{"properties", "$defs"} {
				below, _ := v[group].(map[string]any)
				for name, member := range below {
					members++
					is, _ := member.(map[string]any)
					ref, _ := is["$ref"].(string)
					described, _ := is["description"].(string)
					if to := strings.TrimPrefix(ref, "#/$defs/"); described == "" && to != ref {
						described, _ = schema.(map[string]any)["$defs"].(map[string]any)[to].(map[string]any)["description"].(string)
					}
					if described == "" {
						t.Errorf("%s/%s has no description", path, name)
					}
				}
			}
			for name, below := range v {
				look(path+"/"+name, below)
			}
		}
	}
	look("", schema)
	if members < 35 {
		t.Errorf("only %d members are found", members)
	}
}
