package admin

import (
	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Domain is a domain as lists show it.
type Domain struct {
	ID       uuid.UUID `json:"id"`
	Key      string    `json:"key"`
	Title    string    `json:"title"`
	Version  int       `json:"version"` // 0 when it is not published
	HasDraft bool      `json:"has_draft"`
	Retired  bool      `json:"retired"`
}

func domainOf(d projections.Domain) Domain {
	return Domain{d.ID, d.Key, commands.Title(d), d.Version, d.Draft != nil, d.Retired}
}

func (q *request) domains() (http.Answer, error) {
	domains, err := q.admin.Domains(q.ctx(), q.account.ID)
	if err != nil {
		return http.Answer{}, err
	}
	rows := []Domain{}
	for _, d := range domains {
		rows = append(rows, domainOf(d))
	}
	return answerPart(q, "domains", q.account.ID, rows)
}

func (q *request) showDomain() (http.Answer, error) {
	d, err := q.domain()
	return http.Answer{Body: domainOf(d)}, err
}

func (q *request) retireDomain() (http.Answer, error)  { return q.retire(true) }
func (q *request) restoreDomain() (http.Answer, error) { return q.retire(false) }

// retire takes a domain out of use, or into use again. Doing so again changes nothing.
func (q *request) retire(retired bool) (http.Answer, error) {
	d, err := q.domain()
	if err == nil {
		err = q.admin.Retire(q.ctx(), q.account.ID, d.ID, retired)
	}
	d.Retired = retired
	return http.Answer{Body: domainOf(d)}, err
}
