package admin

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
	"reckon/http"
)

// Exported is a line of events.jsonl in an export: an event of an account.
type Exported struct {
	Sequence uint64    `json:"sequence"`
	Time     time.Time `json:"time"`
	Event    string    `json:"event"` // wire name, "" for one of a later version, which has no data here
	Kind     string    `json:"kind"`  // of what it happened to: account, domain or conversation
	ID       string    `json:"id"`    // of that
	Data     any       `json:"data"`
}

// exportPiece is how much of an export is sent at once, in bytes.
const exportPiece = 64 << 10

// export answers with what an account has, as a ZIP archive: its events as JSON, one a line, and
// the newest version and the draft of each domain as a domain file. What is erased is left out, and
// so are hashes of secrets. It is cut off where it does not come to its end.
func (q *request) export() (http.Answer, error) {
	through, err := q.log.Load().Last(q.ctx())
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{
		Header: map[string]string{"Content-Type": "application/zip", "Content-Disposition": `attachment; filename="reckon-` + q.account.ID.String() + `.zip"`},
		Stream: func(to io.Writer) error {
			pieces := bufio.NewWriterSize(to, exportPiece)
			archive := zip.NewWriter(pieces)
			err := q.exportDomains(archive)
			if err == nil {
				err = q.exportEvents(archive, through)
			}
			if err == nil {
				err = archive.Close()
			}
			if err == nil {
				err = pieces.Flush()
			}
			return err
		},
	}, nil
}

// exportDomains writes domains/KEY.yaml, and domains/KEY.draft.yaml where there is a draft.
func (q *request) exportDomains(archive *zip.Writer) error {
	domains, err := q.admin.Domains(q.ctx(), q.account.ID)
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

// exportEvents writes events.jsonl, with the events up to one of the log.
func (q *request) exportEvents(archive *zip.Writer, through uint64) error {
	erased, err := q.erased(q.ctx())
	if err != nil {
		return err
	}
	file, err := archive.CreateHeader(&zip.FileHeader{Name: "events.jsonl", Method: zip.Deflate, Modified: time.Now()})
	if err != nil {
		return err
	}
	mine := func(s events.Subject) bool { return s.Account() == q.account.ID }
	return q.log.Load().Scan(q.ctx(), 0, through, mine, func(_ uint64, some []events.Event) error {
		for _, e := range some {
			line := exportedOf(e)
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
func (q *request) erased(ctx context.Context) (map[string]bool, error) {
	history, err := q.admin.Log.Read(ctx, events.AccountSubject(q.account.ID), 0)
	ids := map[string]bool{}
	for _, e := range history {
		if erased, is := e.Data.(*events.ConversationErased); is {
			ids[erased.ConversationID.String()] = true
		}
	}
	return ids, err
}

// exportedOf is an event without its data.
func exportedOf(e events.Event) Exported {
	parts := strings.Split(e.Subject.String(), ".") // evt, the account, the kind, and the id of what is no account
	id := parts[1]
	if len(parts) > 3 {
		id = parts[3]
	}
	return Exported{Sequence: e.Sequence, Time: e.Time, Event: events.Name(e.Data), Kind: parts[2], ID: id}
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
