package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"reckon/events/log"
)

// spoilScript writes the newest document of a projection that has a text with another one, past the program.
func spoilScript(ts *testscript.TestScript, _ bool, args []string) {
	ctx := context.Background()
	s, err := log.RunServer(ctx, &server.Options{ServerName: "views", DontListen: true, StoreDir: ts.MkAbs("data/views")}, slog.New(slog.DiscardHandler))
	ts.Check(err)
	defer s.WaitForShutdown()
	defer s.Shutdown()
	conn, err := nats.Connect("", nats.InProcessServer(s))
	ts.Check(err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	ts.Check(err)
	buckets := js.ListStreams(ctx)
	for info := range buckets.Info() {
		if !strings.HasPrefix(info.Config.Name, "KV_"+args[0]+"_") {
			continue
		}
		stream, err := js.Stream(ctx, info.Config.Name)
		ts.Check(err)
		for sequence := info.State.LastSeq; sequence >= info.State.FirstSeq; sequence-- {
			m, err := stream.GetMsg(ctx, sequence)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue // of an older state
			}
			ts.Check(err)
			if spoiled := strings.Replace(string(m.Data), args[1], args[2], 1); spoiled != string(m.Data) {
				_, err = js.Publish(ctx, m.Subject, []byte(spoiled))
				ts.Check(err)
				return
			}
		}
	}
	ts.Check(buckets.Err())
	ts.Fatalf("no document of %s has %q", args[0], args[1])
}
