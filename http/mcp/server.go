// Package mcp is Reckon for language models: tools, resources and a prompt of the Model Context
// Protocol. Each tool asks the interface of callers, /v1, with the key of whoever calls it, so that
// all that holds there holds here.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reckon/engine/formula"
	"reckon/engine/units"
	"reckon/http"
	"reckon/schemas"
)

// instructions are what a model is told before all else.
const instructions = `Reckon calculates with published domains: variables with units, and equations that are solved in whatever direction a question needs.
Numbers are exact; never calculate yourself what a domain can answer. List the domains, describe the one that fits, then calculate with inputs
(values with their units in the text) or ask in words. Keep the conversation id: a follow-up states only what changes, and makes a scenario of its own.
Give people "shown" values, and go on calculating with "value". When an answer is an error, it says what is missing or wrong.`

// New makes a server of the protocol whose tools ask an API.
func New(api API, version string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "reckon", Title: "Reckon", Version: version}, &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{},
	})
	for _, t := range tools {
		closed := false
		server.AddTool(&mcp.Tool{
			Name: t.name, Title: t.title, Description: t.description,
			InputSchema: json.RawMessage(t.input), OutputSchema: json.RawMessage(t.output),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !t.writes, DestructiveHint: new(bool), OpenWorldHint: &closed},
		}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			a := arguments{}
			if len(r.Params.Arguments) > 0 {
				if err := json.Unmarshal(r.Params.Arguments, &a); err != nil {
					return failed(errors.New("the arguments must be an object"))
				}
			}
			if err := t.check(a); err != nil {
				return failed(err)
			}
			answer, err := t.run(ctx, api.caller(r.Extra), a)
			if err != nil {
				return failed(err)
			}
			return answer.result()
		})
	}
	addReferences(server, api)
	addPrompt(server)
	return server
}

// caller is who a request comes from: it brings a key, or is asked for with that of the API.
func (api API) caller(extra *mcp.RequestExtra) caller {
	c := caller{API: api, authorization: "Bearer " + api.Key}
	if extra != nil && extra.Header.Get("Authorization") != "" {
		c.authorization = extra.Header.Get("Authorization")
	}
	return c
}

// check looks whether the arguments are those of the tool, by name.
func (t tool) check(a arguments) error {
	var schema struct {
		Required   []string
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(t.input), &schema); err != nil {
		return err
	}
	for _, name := range schema.Required {
		if len(a[name]) == 0 {
			return fmt.Errorf("%s is required", name)
		}
	}
	for name := range a {
		if schema.Properties[name] == nil {
			return fmt.Errorf("there is no argument %q", name)
		}
	}
	return nil
}

// failed is the result of a call that was refused. A model reads why, and may call again.
func failed(err error) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
}

func (a answer) result() (*mcp.CallToolResult, error) {
	data, err := json.Marshal(a.structured)
	if err != nil {
		return nil, err
	}
	text := a.text
	if text == "" {
		text = string(data)
	}
	return &mcp.CallToolResult{IsError: a.failed, Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: json.RawMessage(data)}, nil
}

// references are what a model may read up, by the last part of their address.
var references = []struct {
	name, title, mime string
	read              func() (string, error)
}{
	{"functions", "Functions of equations", "application/json", func() (string, error) { return asJSON(formula.Functions()) }},
	{"units", "Units, with their names and definitions", "application/json", func() (string, error) {
		entries := []units.Entry{}
		for e := range units.Standard().All() {
			entries = append(entries, e)
		}
		return asJSON(entries)
	}},
	{"errors", "Errors of calculations, what causes each, and the way out", "application/json", func() (string, error) { return schemas.Errors(), nil }},
	{"contract", "What answers mean", "text/markdown", func() (string, error) { return schemas.Contract(), nil }},
}

func asJSON(v any) (string, error) {
	data, err := json.Marshal(v)
	return string(data), err
}

const (
	domainAddress    = "reckon://domains/"
	scenarioAddress  = "reckon://conversations/"
	referenceAddress = "reckon://reference/"
)

func addReferences(server *mcp.Server, api API) {
	found := func(uri, mime, text string) *mcp.ReadResourceResult {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}
	}
	for _, r := range references {
		server.AddResource(&mcp.Resource{URI: referenceAddress + r.name, Name: r.name, Title: r.title, MIMEType: r.mime},
			func(_ context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				text, err := r.read()
				return found(request.Params.URI, r.mime, text), err
			})
	}
	const jsonType = "application/json"
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: domainAddress + "{id}", Name: "domain", Title: "A domain: variables and equations", MIMEType: jsonType,
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		d, err := api.caller(r.Extra).describe(ctx, strings.TrimPrefix(r.Params.URI, domainAddress))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		text, err := asJSON(d)
		return found(r.Params.URI, jsonType, text), err
	})
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: scenarioAddress + "{id}/scenarios/{index}", Name: "scenario", Title: "A scenario of a conversation, with all its values", MIMEType: jsonType,
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		id, index, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, scenarioAddress), "/scenarios/")
		var text string
		if err := api.caller(r.Extra).get(ctx, "/v1/conversations/"+url.PathEscape(id)+"/context/"+url.PathEscape(index), nil, &text); err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		return found(r.Params.URI, jsonType, text), nil
	})
}

func addPrompt(server *mcp.Server) {
	server.AddPrompt(&mcp.Prompt{
		Name: "solve", Title: "Solve with Reckon", Description: "Answer a question by calculating, with units, and say what the answer rests on.",
		Arguments: []*mcp.PromptArgument{
			{Name: "question", Description: "What is to be found out.", Required: true},
			{Name: "domain", Description: "Title of the domain, where it is known."},
		},
	}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		in := "the domain that fits, from list_domains"
		if name := r.Params.Arguments["domain"]; name != "" {
			in = fmt.Sprintf("the domain %q", name)
		}
		text := "Answer this question with Reckon, in " + in + ". Describe the domain first, give inputs with their units, and calculate; do no arithmetic of your own. " +
			"Then say the answer, what was assumed by default, and how it came about (explain).\n\nQuestion: " + r.Params.Arguments["question"]
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	})
}

// maxCall is how many bytes a call may have.
const maxCall = 1 << 20

// Face has a Server answer calls at /mcp, by the streamable HTTP transport without sessions.
func Face(s *http.Server, version string) http.Face {
	server := New(API{Transport: s.Inside(), URL: "http://reckon"}, version)
	handler := mcp.NewStreamableHTTPHandler(func(*nethttp.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxCall,
		// A page that rebinds a name has no key, and proxies on this machine send other names.
		DisableLocalhostProtection: true,
	})
	return http.Face{
		Prefix: "/mcp/", Vary: "Authorization", Admit: s.AdmitKey,
		Routes: []http.Route{{Method: nethttp.MethodPost, Path: "/mcp", Handle: func(x *http.Exchange) (http.Answer, error) {
			if s.Foreign(x.Request()) { // as the protocol has it
				return http.Answer{}, http.Failure(nethttp.StatusForbidden, "error_forbidden", "Pages of this origin may not ask: a service names those that may with --cors-origin.")
			}
			body, err := x.Body(maxCall, http.JSON)
			if err != nil {
				return http.Answer{}, err
			}
			r := x.Request().Clone(x.Request().Context())
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			r.ContentLength = int64(len(body))
			w := &http.Recorded{Fields: nethttp.Header{}}
			handler.ServeHTTP(w, r)
			header := map[string]string{}
			for name := range w.Fields {
				header[name] = w.Fields.Get(name)
			}
			delete(header, "Content-Length")
			return http.Answer{Status: w.Status, Header: header, Body: w.Body.Bytes()}, nil
		}}},
	}
}
