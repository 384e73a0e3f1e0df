package main

import (
	"errors"

	"reckon/cmd/reckon/bench"
)

type benchCommand struct {
	bench.Options
	JSON bool `help:"Print JSON."`
}

func (*benchCommand) Help() string {
	return `Calculations and reads are measured beside what the machine itself allows, in turns, so that noise of the machine hits both: two publishes that depend on each other, as the log does them and with a sync for each message; reads of a bucket; appends to a file. All numbers are medians of three rounds (nine for an account beside another one), ratios those of one round.

What is read does not change while it is read, neither the bucket's document nor conversations and list, which the server keeps as it answered them last; it still authenticates each request and looks whether anything has changed. Only the long conversation is changed before each reading. The bucket is read within this process, as the server reads its own; what callers, connections and HTTP cost is in the service's numbers alone.

Without --url a server of its own starts in a temporary directory, which takes up to 1 GB. With --url the floors are still those of this machine and of --scratch. Conversations stay behind in the account of the key.

Examples:
  reckon bench
  reckon bench --nodes 3 --callers 1,16,64
  reckon bench --callers 64 --seconds 6 --scratch /var/lib --json
  reckon bench --url http://127.0.0.1:8080 --key "$KEY" --domain 06997cbc-3d9f-5c93-aad8-649b70c0e31a`
}

func (c *benchCommand) Run(t terminal) error {
	allowed, _ := allowedMemory()
	tune(t, allowed) // the floors are those of a process that is set like the service's
	shown := newProgressLine(t, false, "")
	report, err := bench.Run(t, c.Options, version(), shown.say)
	shown.end()
	switch {
	case t.Err() != nil:
		return errors.New("interrupted")
	case err != nil:
		return err
	case c.JSON:
		return printJSON(t, report)
	}
	return report.Print(t.out)
}
