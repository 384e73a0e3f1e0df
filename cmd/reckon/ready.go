package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"net/url"
	"time"
)

type readyCommand struct {
	URL     string        `name:"url" help:"Where the server answers (${default})." default:"http://127.0.0.1:8080" placeholder:"URL"`
	Timeout time.Duration `help:"How long to wait for the answer (${default})." default:"2s" placeholder:"DURATION"`
}

func (*readyCommand) Help() string {
	return `Asks /readyz. The exit status is 0 when the server is ready and 1 when it is not, does not answer in time or is not there; then the reason is on standard error. An image without a shell can be checked by it.

Examples:
  reckon ready
  reckon ready --url http://127.0.0.1:9000 --timeout 5s`
}

func (c *readyCommand) Run(t terminal) error {
	address, err := url.Parse(c.URL)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return fmt.Errorf("--url %q: give one such as http://127.0.0.1:8080", c.URL)
	}
	if c.Timeout <= 0 {
		return fmt.Errorf("--timeout %s: give more than 0s", c.Timeout)
	}
	ctx, cancel := context.WithTimeout(t, c.Timeout)
	defer cancel()
	request, err := nethttp.NewRequestWithContext(ctx, "GET", address.JoinPath("readyz").String(), nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", c.URL, err)
	}
	// The server itself is asked: no proxy answers for it, and no other address that it names.
	client := nethttp.Client{
		Transport:     &nethttp.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*nethttp.Request, []*nethttp.Request) error { return nethttp.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not answer within %s", c.URL, c.Timeout)
	case err != nil:
		return fmt.Errorf("not ready: %w", err)
	}
	defer response.Body.Close()
	var body struct {
		Status  string `json:"status"`
		Version string `json:"version"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", request.URL, err)
	}
	known := json.Unmarshal(data, &body) == nil
	switch {
	case known && response.StatusCode == nethttp.StatusOK && body.Status == "ready":
		fmt.Fprintf(t.out, "Reckon %s is ready.\n", body.Version)
		return nil
	case known && body.Error.Message != "":
		return errors.New(body.Error.Message)
	}
	return fmt.Errorf("%s answers %s, which is not Reckon's answer", request.URL, response.Status)
}
