// Command reckon is the whole of the service: the server, its administration, and calculating
// without a server.
//
// To read the program, follow a request. Package http authenticates it and decodes the body.
// Package commands completes it to a command and publishes that on the stream COMMANDS. One with an
// idempotency key goes to a subject made of the account and the hashed key, expecting that none is
// there: the stream decides who was first. A worker takes the command: any node's has it from the
// queue, the consumer of COMMANDS that they share. A node that works alone has its own at once;
// then the queue delivers it only to be acknowledged, and does not deliver one without a key. The
// worker reads the prompt with package engine/prompt, calculates with package engine, and so
// decides an event, which it appends to the stream EVENTS of package events, expecting that the
// conversation has not moved. Package projections folds every event into this node's views and
// wakes whoever waits for it; GETs read those views.
//
//	http → commands → COMMANDS → commands (decide) → EVENTS → projections → http
//
// Package engine stands alone: engine/decimal holds numbers, engine/units what they measure,
// engine/syntax the equations, and engine itself compiles domains, plans and solves. It knows
// neither network nor clock.
package main
