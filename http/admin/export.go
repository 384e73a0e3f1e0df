package admin

import (
	"io"

	"reckon/commands/export"
	"reckon/http"
)

// export answers with what an account has, as a ZIP archive.
func (q *request) export() (http.Answer, error) {
	through, err := q.log.Load().Last(q.ctx())
	if err != nil {
		return http.Answer{}, err
	}
	x := export.Export{Admin: q.admin, Account: q.account, Through: through}
	return http.Answer{
		Header: map[string]string{"Content-Type": "application/zip", "Content-Disposition": `attachment; filename="` + x.Name() + `"`},
		Stream: func(to io.Writer) error { return x.Write(q.ctx(), to) },
	}, nil
}
