// Command reckon is the whole of the service: the server, its administration, and calculating
// without a server.
//
// To read the program, follow a request. There is one road: every calculation is a command on
// JetStream, and workers that take commands from the queue run the engine.
//
//	http → commands → COMMANDS → commands (Decide) → EVENTS → projections → http
//
// Package http authenticates the request and decodes the body. Package commands completes it with
// all that a decision needs, the moment and the time zone among it, and publishes it on the stream
// COMMANDS, at a subject of its account and its hashed idempotency key, expecting that none is
// there: the stream decides who was first. A long prompt goes to EVENTS before that, by itself.
// The queue is a consumer of COMMANDS that all nodes share. It hands the command to a worker of
// one of them. Decide is pure: the command, the conversation as it stands and the compiled domain
// go in, and an event comes out. The worker appends the event to the stream EVENTS, expecting that
// the conversation has not moved; where it has, the worker reads what is newer and decides again.
// Package projections folds every event into this node's views and wakes whoever waits for it, so
// that the answer can be read at once. A GET waits until the fold has passed all that was in the
// log when it came, and reads a view.
//
// The packages, each after those that it stands on:
//
//   - engine/decimal has the numbers, engine/units what they measure, engine/syntax the
//     equations as they are written.
//   - engine/value has values, engine/format shows them, and engine/input reads them.
//   - engine/formula compiles equations and has the table of functions; engine/solve finds
//     unknowns, and proves that there are no others.
//   - engine compiles domains, plans, derives, and explains. It and all below it know no
//     network, no file and no clock.
//   - engine/prompt reads structured text and JSON, engine/language reads prose.
//   - events is the vocabulary of the history, schemas what it looks like to others.
//   - events/log keeps the history, alone or together with other nodes. events/log/natsfile
//     knows what is private to nats-server, and events/backup copies a log.
//   - projections folds the history into read models.
//   - commands takes requests in and decides them. commands/history computes the past again,
//     commands/domainfile reads domains as files, commands/spreadsheet makes domains of
//     spreadsheets, commands/export writes what an account has, commands/model asks a language
//     model, commands/nodes tells how nodes are and judges it, commands/traces sends spans to a
//     collector, commands/outside asks servers at addresses that somebody gave.
//   - http answers callers, http/admin those who administer, with the habits of http. A command
//     line asks the routes of http/admin too: those of a server, or on a log here. http/mcp
//     answers language models by asking http. http/console has the pages for people, who are
//     signed in, http/docs the documentation, for everybody. http/webhooks sends what becomes of
//     calculations to servers of others. http/metrics tells those who watch how it goes, on an
//     address of its own.
//   - cmd/reckon has a type and a file for each command, listed in main.go, and cmd/reckon/bench
//     measures a server beside what the machine allows. cmd/reckon/clients has the clients for
//     programs of others, a file for each language. cmd/release makes what others install,
//     and cmd/screens the pictures of the console.
package main
