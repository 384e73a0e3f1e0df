package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// API is the interface of callers, /v1, as the tools ask it.
type API struct {
	Transport http.RoundTripper
	URL       string // of the service, such as http://127.0.0.1:8080
	Key       string // API key for requests that bring none of their own
}

// caller asks the API for whoever called a tool.
type caller struct {
	API
	authorization string
}

// refusal is a request that /v1 refused: what a model is told, and may act on.
type refusal struct{ code, message string }

func (r refusal) Error() string { return r.message + " (" + r.code + ")" }

// get reads a document into a pointer, with the parameters of a query that are not "".
func (c caller) get(ctx context.Context, path string, query map[string]string, into any) error {
	values := url.Values{}
	for name, value := range query {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	return c.ask(ctx, http.MethodGet, path, nil, into)
}

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 64 << 20

// ask sends a request. into is a pointer to a value of JSON, or to a string for the text itself.
func (c caller) ask(ctx context.Context, method, path string, body any, into any) error {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+path, sent)
	if err != nil {
		return fmt.Errorf("ask %s: %w", path, err)
	}
	r.Header.Set("Authorization", c.authorization)
	r.Header.Set("Body-Version", "2")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Prefer", "wait=30")
	}
	response, err := c.Transport.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("the service's answer ended early: %w", err)
	case len(data) > maxAnswer:
		return errors.New("the service's answer is too long")
	case response.StatusCode >= 300:
		var failure struct {
			Error struct{ Code, Message string }
		}
		if json.Unmarshal(data, &failure) != nil || failure.Error.Code == "" {
			return fmt.Errorf("the service answered %d", response.StatusCode)
		}
		return refusal{failure.Error.Code, failure.Error.Message}
	}
	if text, ok := into.(*string); ok {
		*text = string(data)
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("read the service's answer: %w", err)
	}
	return nil
}

// domain is a domain as lists have it.
type domain struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

func (c caller) domains(ctx context.Context) ([]domain, error) {
	var list struct{ Domains []domain }
	err := c.get(ctx, "/v1/domains", nil, &list)
	return list.Domains, err
}

// domain finds a domain by its id or its title; "" is the only one that there is.
func (c caller) domain(ctx context.Context, name string) (domain, error) {
	list, err := c.domains(ctx)
	if err != nil {
		return domain{}, err
	}
	if name == "" && len(list) == 1 {
		return list[0], nil
	}
	var titles []string
	for _, d := range list {
		if strings.EqualFold(d.ID, name) || strings.EqualFold(strings.TrimSpace(d.Title), strings.TrimSpace(name)) {
			return d, nil
		}
		titles = append(titles, fmt.Sprintf("%q (%s)", d.Title, d.ID))
	}
	if name == "" {
		return domain{}, fmt.Errorf("say which domain: there are %s", strings.Join(titles, ", "))
	}
	return domain{}, fmt.Errorf("there is no domain %q: there are %s", name, strings.Join(titles, ", "))
}
