package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// lineReader reads what is asked: with an editor and a history on a terminal, else line by line.
type lineReader struct {
	editor *term.Terminal // nil where there is no terminal
	file   *os.File
	lines  *bufio.Reader
}

func newLineReader(t terminal) *lineReader {
	file, ok := t.in.(*os.File)
	if !ok || !isTerminalFile(file) || !isTerminal(t.out) {
		return &lineReader{lines: bufio.NewReaderSize(t.in, 4<<10)}
	}
	return &lineReader{file: file, editor: term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{file, raw(t.out)}, "")}
}

// read reads a question, of several lines where they end with a backslash. It fails with io.EOF.
func (r *lineReader) read(prompt string) (string, error) {
	var text strings.Builder
	for {
		line, err := r.line(prompt)
		if err != nil && (text.Len() == 0 || !errors.Is(err, io.EOF)) {
			return "", err
		}
		if text.Len()+len(line) > maxPrompt {
			return "", fmt.Errorf("a line is longer than %d KiB", maxPrompt>>10)
		}
		begun, more := strings.CutSuffix(line, `\`)
		text.WriteString(begun)
		if !more || err != nil {
			return text.String(), nil
		}
		text.WriteByte('\n')
		prompt = "… "
	}
}

// line reads one line without its end.
func (r *lineReader) line(prompt string) (string, error) {
	if r.editor == nil {
		var line []byte
		for {
			part, err := r.lines.ReadSlice('\n')
			line = append(line, part...)
			switch {
			case errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxPrompt:
				continue
			case errors.Is(err, io.EOF) && len(line) == 0:
				return "", io.EOF
			case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
				return "", fmt.Errorf("read a line: %w", err)
			}
			return strings.TrimRight(string(line), "\r\n"), nil
		}
	}
	// The terminal is raw while a line is edited alone, so that Ctrl-C ends what waits for an answer.
	before, err := term.MakeRaw(int(r.file.Fd()))
	if err != nil {
		return "", fmt.Errorf("read from the terminal: %w", err)
	}
	defer term.Restore(int(r.file.Fd()), before)
	if width, height, err := term.GetSize(int(r.file.Fd())); err == nil && width > 0 {
		_ = r.editor.SetSize(width, height) // which redraws a line, and there is none yet
	}
	r.editor.SetPrompt(prompt)
	line, err := r.editor.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	return line, err
}
