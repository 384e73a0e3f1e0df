package events

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// BenchmarkDecode decodes the fixture of a completed message.
func BenchmarkDecode(b *testing.B) {
	const name = "reckon.message.completed.v1"
	body, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		b.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(compact.Len()))
	for b.Loop() {
		if _, err := decodeData(name, compact.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
