package commands_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"reckon/commands"
	"reckon/commands/domainfile"
)

// outlined compiles a domain file and describes it.
func outlined(t *testing.T, f *domainfile.File) commands.Outline {
	t.Helper()
	d, report := f.Compile()
	if d == nil {
		t.Fatalf("%s: %+v", f.Name, report.Findings)
	}
	return d.Outline()
}

// Every domain can be drawn: each variable is in the SVG, which is XML, and each output that is made
// of something is in the text.
func TestDrawings(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "cmd", "reckon", "testdata", "domains", "*.yaml"))
	if err != nil || len(names) < 30 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	var files []*domainfile.File
	for _, name := range names {
		f, err := domainfile.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	files = append(files,
		domainfile.Parse("empty", []byte("title: A")),
		domainfile.Parse("circle", []byte("title: '<A> & \"B\"'\nvariables: [{key: a, title: <i>}, {key: b}, {key: c}]\nactivities: [{equation: a = b + 1}, {equation: b = a * 2}, {equation: a * c = b * c + 1}, {equation: a = c, state: disabled}]")))
	chain := "title: A\nvariables:\n  - {key: v0}\n"
	equations := "activities:\n"
	for i := range 2000 {
		chain += fmt.Sprintf("  - {key: v%d}\n", i+1)
		equations += fmt.Sprintf("  - {equation: v%d = v%d + 1}\n", i+1, i)
	}
	files = append(files, domainfile.Parse("chain", []byte(chain+equations)))
	for _, f := range files {
		o := outlined(t, f)
		for _, most := range []int{0, 280} {
			svg := o.SVG(most)
			for d := xml.NewDecoder(strings.NewReader(svg)); ; {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", f.Name, err)
				}
			}
			for _, v := range o.Variables {
				if !strings.Contains(svg, ">"+v.Key+"</text>") {
					t.Errorf("%s, at most %d: %s is not in the SVG", f.Name, most, v.Key)
				}
			}
		}
		text := o.Text()
		for _, v := range o.Variables {
			if v.Output && !strings.Contains(text, v.Key) {
				t.Errorf("%s: %s is not in the text:\n%s", f.Name, v.Key, text)
			}
		}
	}
}
