// Package traces sends spans to an OpenTelemetry collector by OTLP over HTTP, as the environment
// variables of OpenTelemetry say.
package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
)

// endPatience is how long what was recorded last may take to be sent when the program ends.
const endPatience = 3 * time.Second

// Open begins to send spans, where an endpoint is named; the provider is nil where none is, or
// where OTEL_SDK_DISABLED or OTEL_TRACES_EXPORTER=none say so. end sends the last spans, and gives
// up after 3 s. What cannot be sent is dropped, and the log says why. Open fails on variables that
// say nothing that it can do. It is called once in a process: what the library has to say is the
// same for all of it.
func Open(ctx context.Context, version string, logger *slog.Logger) (provider *trace.TracerProvider, end func(), err error) {
	end = func() {}
	name, endpoint := variable("ENDPOINT")
	if endpoint == "" || strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, end, nil
	}
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "", "otlp":
	case "none":
		return nil, end, nil
	default:
		return nil, end, fmt.Errorf("OTEL_TRACES_EXPORTER=%s: spans are sent by otlp, or not with none", exporter)
	}
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, end, fmt.Errorf("%s is no address of a collector: give one such as http://127.0.0.1:4318", name)
	}
	if name, protocol := variable("PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, end, fmt.Errorf("%s=%s: spans are sent by http/protobuf, for which collectors listen on port 4318", name, protocol)
	}
	if name, headers := variable("HEADERS"); !areHeaders(headers) {
		return nil, end, fmt.Errorf("%s is no list of headers: give name=value,name=value, with %%20 for a space in a value", name)
	}
	otel.SetLogger(logr.Discard()) // it would tell the values of headers
	otel.SetErrorHandler(&complaints{logger: logger})
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, end, fmt.Errorf("send spans: %w", err)
	}
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "reckon"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, end, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider = trace.NewTracerProvider(trace.WithBatcher(exporter), trace.WithResource(described))
	return provider, func() {
		ctx, cancel := context.WithTimeout(context.Background(), endPatience)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			logger.Warn("the last spans are not sent", "error", err)
		}
	}, nil
}

// variable is the value of a variable of the exporter: that of traces, else that of everything.
func variable(what string) (name, value string) {
	name = "OTEL_EXPORTER_OTLP_TRACES_" + what
	if value = strings.TrimSpace(os.Getenv(name)); value != "" {
		return name, value
	}
	name = "OTEL_EXPORTER_OTLP_" + what
	return name, strings.TrimSpace(os.Getenv(name))
}

// areHeaders tells whether a text is a list of headers, or none.
func areHeaders(text string) bool {
	for pair := range strings.SplitSeq(text, ",") {
		if text == "" {
			return true
		}
		name, value, ok := strings.Cut(pair, "=")
		_, err := url.PathUnescape(value)
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return false
		}
	}
	return true
}

// complainEvery is how often there is a line for what the library has to say.
const complainEvery = time.Minute

// complaints are what the library has to say of its work. It says the same of every batch, and that
// has one line.
type complaints struct {
	logger *slog.Logger
	mutex  sync.Mutex
	told   string
	at     time.Time
}

func (c *complaints) Handle(err error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if text := err.Error(); text != c.told && time.Since(c.at) > complainEvery {
		c.told, c.at = text, time.Now()
		c.logger.Warn("spans are not recorded and sent as they should be", "error", text)
	}
}
