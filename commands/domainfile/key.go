package domainfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ErrKeyAsWritten says that a key cannot be put into a file as it is written.
var ErrKeyAsWritten = errors.New("a key cannot be put into the file as it is written")

// WithKey is a file that states no key with the one of its domain, behind the title; the rest of
// its text is as it is. Nothing is written. It fails with ErrKeyAsWritten.
func (f *File) WithKey(key string) (*File, error) {
	text, err := linewise(f.data, func(data []byte) ([]byte, error) { return withKey(data, key) })
	if err != nil {
		return nil, err
	}
	after := f.again(text)
	was, errWas := json.Marshal(f.Definition)
	is, errIs := json.Marshal(after.Definition)
	if len(after.findings) > 0 || after.Key != key || errors.Join(errWas, errIs) != nil || !bytes.Equal(was, is) || len(text) > MaxBytes {
		return nil, ErrKeyAsWritten
	}
	return after, nil
}

func withKey(data []byte, key string) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil || len(document.Content) == 0 {
		return nil, fmt.Errorf("read the domain file: %w", errors.Join(err, ErrKeyAsWritten))
	}
	root := document.Content[0]
	at := memberAt(root, "title")
	if at < 0 || memberAt(root, "key") >= 0 {
		return nil, ErrKeyAsWritten
	}
	lines := strings.SplitAfter(string(data), "\n")
	if root.Style&yaml.FlowStyle == 0 {
		end, column := len(lines), root.Content[at].Column-1
		if at+2 < len(root.Content) {
			end = root.Content[at+2].Line - 1
		}
		return inserted(lines, lastLine(lines, end, column), strings.Repeat(" ", column)+"key: "+key+"\n"), nil
	}
	start := bytes.IndexByte(data, '{') + 1
	member := `"key": "` + key + `", `
	if m := jsonIndent.FindSubmatch(data); m != nil {
		member = "\n" + string(m[1]) + `"key": "` + key + `",`
	}
	return []byte(string(data[:start]) + member + string(data[start:])), nil
}
