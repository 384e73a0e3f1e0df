package reckon

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"reckon/engine/format"
)

// formatCases are the cases of engine/testdata/formats.txt: value, kind, format, text.
func formatCases(t *testing.T) (cases [][]string) {
	t.Helper()
	data, err := os.ReadFile("../../../engine/testdata/formats.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		columns := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") || len(columns) != 4 {
			continue
		}
		for i, column := range columns {
			columns[i] = strings.TrimSpace(column)
		}
		cases = append(cases, columns)
	}
	if len(cases) < 300 {
		t.Fatalf("there are %d cases", len(cases))
	}
	return cases
}

func TestFormatCases(t *testing.T) {
	for _, c := range formatCases(t) {
		if text := ShowScalar(c[0], c[1], c[2]); text != c[3] {
			t.Errorf("%s as %s %s is %q, not %q", c[0], c[1], c[2], text, c[3])
		}
	}
}

// Values of any size are shown as the service itself would show them.
func TestShownAsTheEngineShows(t *testing.T) {
	var shapes [][]string // kind, format
	for _, c := range formatCases(t) {
		shapes = append(shapes, c[1:3])
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`-?([0-9]{1,17}|0)(\.[0-9]{1,17}(5|9{1,4}|0{1,3})?)?(e-?[1-9][0-9]?)?( s| USD)?`).Draw(t, "value")
		shape := rapid.SampledFrom(shapes).Draw(t, "shape")
		want, err := format.Render(value, shape[0], shape[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := ShowScalar(value, shape[0], shape[1]); got != want {
			t.Fatalf("%q, not %q", got, want)
		}
	})
}

// A stream is read alike however it is cut into pieces, and what is cut off at its end is left out.
func TestEventsInPieces(t *testing.T) {
	text := "\uFEFF:\r\rid: 1\r\ndata: {\"title\":\r\ndata: \"größer €\"}\r\n\r\nid: 2\rdata: {}\r\rid: 3\ndata: {}\n\nid: 4\ndata: {}\n"
	for _, pieces := range []func(io.Reader) io.Reader{
		func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader,
	} {
		var told []string
		s := stream{yield: func(e Event, _ error) bool {
			told = append(told, e.ID+string(e.Data))
			return true
		}}
		over, err := s.read(pieces(strings.NewReader(text)))
		if want := []string{"1{\"title\":\n\"größer €\"}", "2{}", "3{}"}; over || err != nil || !slices.Equal(told, want) || s.id != "3" {
			t.Errorf("%q behind %q, %v, %v", told, s.id, over, err)
		}
	}
}

// An event is told before what comes behind it is there.
func TestEventsAreToldAtOnce(t *testing.T) {
	for _, end := range []string{"\r\n", "\r", "\n"} {
		r, w := io.Pipe()
		told := make(chan Event)
		s := stream{yield: func(e Event, _ error) bool {
			told <- e
			return true
		}}
		ended := make(chan error)
		go func() {
			_, err := s.read(r)
			ended <- err
		}()
		for range 3 {
			if _, err := io.WriteString(w, "data: {}"+end+end); err != nil {
				t.Fatal(err)
			}
			<-told
		}
		w.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestWhatCannotBeReadStandsAsItIs(t *testing.T) {
	for _, value := range []string{
		"", "today", "now", "soon", "1,000", "1.2.3", "- 1", "1e", "1e99999999", "٣", strings.Repeat("9", 1001), "1\n", " 1", "0x10", "+1", ".5", "5.",
	} {
		for _, kind := range []string{"", "number", "percent", "date", "duration", "money"} {
			if text := ShowScalar(value, kind, ""); text != value {
				t.Errorf("%.20q of kind %s is %q", value, kind, text)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		problem Problem
		text    string
	}{
		{Problem{Message: "%arg0% and %arg1%", Args: []string{"%arg1%", "b"}}, "%arg1% and b"},
		{Problem{Message: "%arg1% of 100 %, %arg99999999999999999999% and %arg0", Args: []string{"a"}}, "%arg1% of 100 %, %arg99999999999999999999% and %arg0"},
		{Problem{Code: "input.incompatible_units", Message: "The units %arg0% and %arg1% are not compatible.", Args: []string{"kg", "1"}}, "The units kg and no unit are not compatible."},
	} {
		if text := c.problem.Text(); text != c.text {
			t.Errorf("%q, not %q", text, c.text)
		}
	}
}
