package http

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// entityTag is the strong ETag of a body: a hash of its bytes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// compressedTag ends the tag of a body that was sent compressed, which is another one.
const compressedTag = "-gzip"

// matches reports whether the values of If-None-Match name a tag: "*" names every one, and weak
// tags count by their opaque part. What follows a malformed part of a value is ignored.
func matches(values []string, tag string) bool {
	for _, rest := range values {
		if strings.TrimSpace(rest) == "*" {
			return true
		}
		for {
			rest = strings.TrimLeft(rest, " \t,")
			opaque, ok := strings.CutPrefix(strings.TrimPrefix(rest, "W/"), `"`)
			if !ok {
				break
			}
			name, after, ok := strings.Cut(opaque, `"`)
			if !ok {
				break
			}
			if `"`+strings.TrimSuffix(name, compressedTag)+`"` == tag {
				return true
			}
			rest = after
		}
	}
	return false
}
