package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"reckon/commands"
	"reckon/events"
)

// Change is a place of a JSON document with what stood there and what stands there; nil where
// nothing does.
type Change struct {
	Path string          `json:"path"`
	Was  json.RawMessage `json:"was,omitempty"`
	Is   json.RawMessage `json:"is,omitempty"`
}

// changes lists where two JSON documents differ. Entries of an array are told apart by their key,
// title or code where all have one of their own, else by position.
func changes(was, is json.RawMessage) []Change {
	var a, b any
	if events.Unmarshal(was, &a) != nil || events.Unmarshal(is, &b) != nil {
		return []Change{{Was: was, Is: is}}
	}
	var list []Change
	walk("", a, b, &list)
	if len(list) == 0 {
		list = append(list, Change{Path: "order of members", Was: was, Is: is})
	}
	return list
}

// nothing stands for a place that a document does not have.
type nothing struct{}

func walk(path string, was, is any, list *[]Change) {
	if a, ok := was.([]any); ok {
		if b, ok := is.([]any); ok {
			walkArrays(path, a, b, list)
			return
		}
	}
	a, aOK := was.(map[string]any)
	b, bOK := is.(map[string]any)
	if aOK && bOK {
		walkMembers(path, a, b, list)
		return
	}
	if w, i := bare(was), bare(is); !bytes.Equal(w, i) {
		*list = append(*list, Change{Path: cmp.Or(path, "all"), Was: w, Is: i})
	}
}

// bare is a value as JSON, nil for nothing.
func bare(v any) json.RawMessage {
	if _, none := v.(nothing); none {
		return nil
	}
	return commands.Encode(v)
}

func walkMembers(path string, was, is map[string]any, list *[]Change) {
	both := maps.Clone(was)
	maps.Copy(both, is)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		a, ok := was[name]
		if !ok {
			a = nothing{}
		}
		b, ok := is[name]
		if !ok {
			b = nothing{}
		}
		at := name
		if path != "" {
			at = path + "." + name
		}
		walk(at, a, b, list)
	}
}

func walkArrays(path string, was, is []any, list *[]Change) {
	for _, name := range []string{"key", "title", "code"} {
		a, aNames := named(was, name)
		b, bNames := named(is, name)
		if a == nil || b == nil || len(a)+len(b) == 0 {
			continue
		}
		walkMembers(path, a, b, list)
		if !slices.Equal(aNames, bNames) && len(a) == len(b) {
			*list = append(*list, Change{Path: path + " (order)", Was: commands.Encode(aNames), Is: commands.Encode(bNames)})
		}
		return
	}
	for i := range max(len(was), len(is)) {
		var a, b any = nothing{}, nothing{}
		if i < len(was) {
			a = was[i]
		}
		if i < len(is) {
			b = is[i]
		}
		walk(fmt.Sprintf("%s[%d]", path, i), a, b, list)
	}
}

// named are the entries of an array by a member, nil unless each has one of its own.
func named(list []any, member string) (byName map[string]any, names []string) {
	byName = map[string]any{}
	for _, entry := range list {
		object, _ := entry.(map[string]any)
		name, ok := object[member].(string)
		if _, twice := byName[name]; !ok || twice {
			return nil, nil
		}
		byName[name] = entry
		names = append(names, name)
	}
	return byName, names
}
