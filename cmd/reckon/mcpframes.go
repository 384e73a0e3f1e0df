package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxFrame is how long a line of the protocol may be.
const maxFrame = 4 << 20

// frames are the lines of the Model Context Protocol on standard input and output, a message each.
// The SDK ends a session with the first line that is not a message, and with the end of the input,
// whatever is being answered then: here such a line is answered with an error, and the end comes
// behind the answers.
type frames struct {
	in   *bufio.Reader
	rest []byte // of the line that is being read

	mu       sync.Mutex // of what follows, and of the lines that are written
	out      io.Writer
	awaited  map[string]bool // requests without an answer, by their ids as JSON
	answered *sync.Cond
	closed   bool
}

func newFrames(in io.Reader, out io.Writer) *frames {
	f := &frames{in: bufio.NewReader(in), out: out, awaited: map[string]bool{}}
	f.answered = sync.NewCond(&f.mu)
	return f
}

// mcpFrame is what is to be known of a message.
type mcpFrame struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"` // of notifications/cancelled
	} `json:"params"`
}

// framesOf reads a message, or a batch of them.
func framesOf(line []byte) (list []mcpFrame, err error) {
	parts := []json.RawMessage{line}
	if bytes.HasPrefix(line, []byte("[")) {
		if err := json.Unmarshal(line, &parts); err != nil {
			return nil, err
		}
		if len(parts) == 0 {
			return nil, errors.New("an empty batch")
		}
	}
	for _, part := range parts {
		if _, err := jsonrpc.DecodeMessage(part); err != nil {
			return nil, err
		}
		var f mcpFrame
		_ = json.Unmarshal(part, &f) // what is of another type is not awaited
		list = append(list, f)
	}
	return list, nil
}

// Read reads the lines that are messages.
func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return 0, f.end()
		case err != nil && !errors.Is(err, io.EOF):
			return 0, err
		case len(line) == 0:
			continue
		}
		list, err := framesOf(line)
		if err != nil || len(line) > maxFrame {
			if err := f.refuse(line, err); err != nil {
				return 0, err
			}
			continue
		}
		f.mu.Lock()
		for _, m := range list {
			switch {
			case m.Method == "notifications/cancelled":
				delete(f.awaited, string(m.Params.RequestID))
			case m.Method != "" && len(m.ID) > 0:
				f.awaited[string(m.ID)] = true
			}
		}
		f.mu.Unlock()
		f.rest = append(line, '\n')
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// line reads a line without its end, of one that is too long a part that is so as well.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if len(line) <= maxFrame {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}

// refuse answers a line that is not a message.
func (f *frames) refuse(line []byte, why error) error {
	code, text := jsonrpc.CodeInvalidRequest, "This line is not a message of JSON-RPC 2.0"
	switch {
	case len(line) > maxFrame:
		why = fmt.Errorf("it is longer than %d MiB", maxFrame>>20)
	case !json.Valid(line):
		code, text = jsonrpc.CodeParseError, "This line is not JSON, and a message is one line"
	}
	var asked mcpFrame
	if json.Unmarshal(line, &asked) != nil || len(asked.ID) == 0 {
		asked.ID = json.RawMessage("null")
	}
	answer, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": code, "message": text + ": " + why.Error()},
	})
	if err != nil {
		return fmt.Errorf("write an error: %w", err)
	}
	_, err = f.Write(append(answer, '\n'))
	return err
}

// end waits until all is answered.
func (f *frames) end() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.awaited) > 0 && !f.closed {
		f.answered.Wait()
	}
	return io.EOF
}

// Write writes a line. A request is answered with it also where nobody reads it any more.
func (f *frames) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if list, err := framesOf(bytes.TrimSpace(line)); err == nil {
		for _, m := range list {
			if m.Method == "" {
				delete(f.awaited, string(m.ID))
			}
		}
		f.answered.Broadcast()
	}
	return f.out.Write(line)
}

// Close says that nothing is answered any more.
func (f *frames) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.answered.Broadcast()
	return nil
}
