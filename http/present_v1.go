package http

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// namesV1 are the names of a display's members in body version 1, by those in version 2.
var namesV1 = map[string]string{"kind": "display_type", "format": "decimal_format"}

// stateV1 is an activity's state in body version 1.
func stateV1(state string) string {
	if state == "active" {
		return "published"
	}
	return state
}

// displayV1 renames kind and format of a display object, and those of its columns and series. What
// is not such an object stays as it is.
func displayV1(display []byte) []byte {
	var members map[string]jsontext.Value
	if json.Unmarshal(display, &members, answerForm) != nil || members == nil {
		return display
	}
	for _, name := range []string{"columns", "series"} {
		var parts []jsontext.Value
		if json.Unmarshal(members[name], &parts, answerForm) != nil || parts == nil {
			continue
		}
		for i := range parts {
			parts[i] = displayV1(parts[i])
		}
		members[name] = encode(parts)
	}
	for name, name1 := range namesV1 {
		if value, ok := members[name]; ok {
			delete(members, name)
			members[name1] = value
		}
	}
	return encode(members)
}

// metadataV1 is displayV1 of what stands under the type key.
func metadataV1(metadata []byte) []byte {
	var members map[string]jsontext.Value
	if json.Unmarshal(metadata, &members, answerForm) != nil || members == nil {
		return metadata
	}
	for name := range members {
		members[name] = displayV1(members[name])
	}
	return encode(members)
}
