// Package export writes what an account has as files that a person can read.
package export

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/projections"
)

// Event is a line of events.jsonl in an export: an event of an account.
type Event struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Event    string    `json:"event"` // wire name, "" for one of a later version, which has no data here
	Kind     string    `json:"kind"`  // of what it happened to: account, domain or conversation
	ID       string    `json:"id"`    // of that
	Data     any       `json:"data"`
}

// piece is how much of an export is sent at once, in bytes.
const piece = 64 << 10

// Export is what an account has at an event of the log.
type Export struct {
	Admin   commands.Admin
	Account projections.Account
	Through uint64 // the newest event that is part of it
}

// Write writes a ZIP archive: the account's events as JSON, one a line, and the newest version and
// the draft of each domain as a domain file. What is erased is left out, and so are hashes of
// secrets. An archive that is cut off says so, since it has no end.
func (x Export) Write(ctx context.Context, to io.Writer) error {
	pieces := bufio.NewWriterSize(to, piece)
	archive := zip.NewWriter(pieces)
	err := x.domains(ctx, archive)
	if err == nil {
		err = x.events(ctx, archive)
	}
	if err == nil {
		err = archive.Close()
	}
	if err == nil {
		err = pieces.Flush()
	}
	return err
}

// Name is what the file of an archive is called.
func (x Export) Name() string { return "reckon-" + x.Account.ID.String() + ".zip" }

// domains writes domains/KEY.yaml, and domains/KEY.draft.yaml where there is a draft.
func (x Export) domains(ctx context.Context, archive *zip.Writer) error {
	domains, err := x.Admin.Domains(ctx, x.Account.ID)
	if err != nil {
		return err
	}
	for _, d := range domains {
		for _, part := range []struct {
			end string
			of  *events.Definition
		}{{".yaml", d.Published}, {".draft.yaml", d.Draft}} {
			if part.of == nil {
				continue
			}
			text, err := domainfile.Text(d.Key, *part.of)
			if err != nil {
				return fmt.Errorf("write domain %q: %w", commands.Title(d), err)
			}
			file, err := archive.CreateHeader(&zip.FileHeader{Name: "domains/" + d.Key + part.end, Method: zip.Deflate, Modified: d.UpdatedAt})
			if err == nil {
				_, err = file.Write(text)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// events writes events.jsonl.
func (x Export) events(ctx context.Context, archive *zip.Writer) error {
	erased, err := x.erased(ctx)
	if err != nil {
		return err
	}
	file, err := archive.CreateHeader(&zip.FileHeader{Name: "events.jsonl", Method: zip.Deflate, Modified: time.Now()})
	if err != nil {
		return err
	}
	mine := func(s events.Subject) bool { return s.Account() == x.Account.ID }
	return x.Admin.Log.Scan(ctx, 0, x.Through, mine, func(_ uint64, some []events.Event) error {
		for _, e := range some {
			line := lineOf(e)
			if _, prompt := e.Data.(*events.PromptStored); prompt || erased[line.ID] { // a prompt stands in its message
				continue
			}
			if line.Data, err = withoutHash(e.Data); err != nil {
				return fmt.Errorf("read event %d: %w", e.Sequence, err)
			}
			text, err := events.Marshal(line)
			if err == nil {
				_, err = file.Write(append(text, '\n'))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// erased are the ids of the account's conversations that are erased, whose events may still be
// there.
func (x Export) erased(ctx context.Context) (map[string]bool, error) {
	history, err := x.Admin.Log.Read(ctx, events.AccountSubject(x.Account.ID), 0)
	ids := map[string]bool{}
	for _, e := range history {
		if erased, is := e.Data.(*events.ConversationErased); is {
			ids[erased.ConversationID.String()] = true
		}
	}
	return ids, err
}

// lineOf is an event without its data.
func lineOf(e events.Event) Event {
	parts := strings.Split(e.Subject.String(), ".") // evt, the account, the kind, and the id of what is no account
	id := parts[1]
	if len(parts) > 3 {
		id = parts[3]
	}
	return Event{Sequence: e.Sequence, Time: e.Time, Event: events.Name(e.Data), Kind: parts[2], ID: id}
}

// withoutHash is the data of an event without the hash of a secret.
func withoutHash(data any) (any, error) {
	if _, is := data.(events.Administration); !is {
		return data, nil
	}
	var members map[string]json.RawMessage
	text, err := events.Marshal(data)
	if err == nil {
		err = events.Unmarshal(text, &members)
	}
	delete(members, "hash")
	return members, err
}
