package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

type lspCommand struct {
	Stdio bool `help:"Speak over standard input and output, which it always does: some editors add the flag." hidden:""`
}

func (*lspCommand) Help() string {
	return "A language server for editors, over standard input and output: findings while typing, completion and explanation of keys, functions and units, the way to where a key is declared, its renaming, formatting, and tests that are run from the file. How to tell it to VS Code, Neovim and Helix is in schemas/AUTHORING.md."
}

func (c *lspCommand) Run(t terminal) error {
	s := &languageServer{t: t, open: map[string]*openFile{}, out: raw(t.out)}
	in := bufio.NewReader(t.in)
	for {
		body, err := readMessage(in)
		switch {
		case errors.Is(err, io.EOF):
			return exit(1) // without the exit that the protocol wants
		case err != nil:
			return fmt.Errorf("read a message of the editor: %w", err)
		}
		if err := s.receive(body); err != nil {
			return err
		}
		if s.exited {
			if s.stopping {
				return nil
			}
			return exit(1)
		}
	}
}

// maxMessage is the longest message that is taken, in bytes. A domain file has at most 1 MiB, which
// JSON makes longer.
const maxMessage = 16 << 20

// readMessage reads one message of JSON-RPC as the Language Server Protocol frames it.
func readMessage(in *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || length < 0 || length > maxMessage {
		return nil, fmt.Errorf("a message with Content-Length %q: it is 0 to %d", header.Get("Content-Length"), maxMessage)
	}
	body := make([]byte, length)
	_, err = io.ReadFull(in, body)
	return body, err
}

// rpcMessage is a request, a notification or an answer.
type rpcMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // absent for a notification
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// Codes of JSON-RPC and of the Language Server Protocol.
const (
	rpcParse          = -32700
	rpcUnknownMethod  = -32601
	rpcInvalidParams  = -32602
	lspRequestFailed  = -32803
	lspNotInitialized = -32002
	lspInvalidRequest = -32600
)

func (s *languageServer) send(m rpcMessage) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err == nil {
		_, err = fmt.Fprintf(s.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if err != nil {
		return fmt.Errorf("answer the editor: %w", err)
	}
	return nil
}

// null is a result that says nothing.
var null = json.RawMessage("null")

// receive does what a message asks for, and answers it where it is a request.
func (s *languageServer) receive(body []byte) error {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return s.send(rpcMessage{ID: null, Error: &rpcError{rpcParse, "This is not JSON-RPC: " + err.Error()}})
	}
	if m.Method == "" {
		return nil // an answer, to no question of this server
	}
	result, err := s.do(m.Method, m.Params)
	if len(m.ID) == 0 {
		var refused *rpcError
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		return nil
	}
	if err != nil {
		failed := &rpcError{lspRequestFailed, err.Error()}
		errors.As(err, &failed)
		return s.send(rpcMessage{ID: m.ID, Error: failed})
	}
	if result == nil {
		result = null
	}
	return s.send(rpcMessage{ID: m.ID, Result: result})
}

// do does what a method means. The result is nil where there is nothing to say.
func (s *languageServer) do(method string, params json.RawMessage) (any, error) {
	switch {
	case method == "exit":
		s.exited = true
		return nil, nil
	case method == "initialize":
		return s.initialize(params)
	case !s.ready:
		return nil, &rpcError{lspNotInitialized, "The first request is initialize."}
	case s.stopping:
		return nil, &rpcError{lspInvalidRequest, "The server is shut down."}
	}
	var p lspParams
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &rpcError{rpcInvalidParams, err.Error()}
		}
	}
	f := s.open[p.TextDocument.URI]
	switch method {
	case "initialized", "$/setTrace", "$/cancelRequest", "workspace/didChangeConfiguration":
		return nil, nil
	case "shutdown":
		s.stopping = true
		return nil, nil
	case "textDocument/didOpen":
		return nil, s.change(p.TextDocument.URI, p.TextDocument.Text, true)
	case "textDocument/didChange":
		if n := len(p.ContentChanges); n > 0 {
			return nil, s.change(p.TextDocument.URI, p.ContentChanges[n-1].Text, false)
		}
		return nil, nil
	case "textDocument/didSave":
		if f != nil {
			return nil, s.change(p.TextDocument.URI, string(f.Bytes()), true)
		}
		return nil, nil
	case "textDocument/didClose":
		delete(s.open, p.TextDocument.URI)
		return nil, s.diagnose(p.TextDocument.URI, nil)
	case "workspace/executeCommand":
		return s.execute(p)
	}
	feature, ok := lspFeatures[method]
	switch {
	case !ok:
		return nil, &rpcError{rpcUnknownMethod, "This server does not know " + method + "."}
	case f == nil:
		return nil, &rpcError{rpcInvalidParams, "The file is not open."}
	}
	return feature(s, f, p)
}

// lspParams are the members of the parameters that the server reads.
type lspParams struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
	Position  lspPosition       `json:"position"`
	NewName   string            `json:"newName"`
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16
}

type lspRange struct {
	Start lspPosition `json:"start"`
	End   lspPosition `json:"end"`
}

type lspEdit struct {
	Range   lspRange `json:"range"`
	NewText string   `json:"newText"`
}
