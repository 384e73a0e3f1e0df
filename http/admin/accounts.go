package admin

import (
	nethttp "net/http"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// Account is an account as lists show it.
type Account struct {
	ID          uuid.UUID `json:"id"`
	Name        string    `json:"name"`
	Title       string    `json:"title"` // "" for none besides the name
	TimeZone    string    `json:"time_zone"`
	BodyVersion int       `json:"body_version"`
	Language    string    `json:"language,omitempty"` // tag of that of prose; "" for that of each domain
	ActiveKeys  int       `json:"active_keys"`
	State       string    `json:"state"` // active or suspended

	Retention int `json:"retention_days,omitzero"` // days that conversations are kept without activity; 0 for ever

	Limits    projections.Limits      `json:"limits,omitzero"`  // that owners set
	Ceiling   projections.Limits      `json:"ceiling,omitzero"` // that operators set
	Allowed   projections.Limits      `json:"allowed,omitzero"` // of each the lower one
	Suspended *projections.Suspension `json:"suspended,omitempty"`
}

func accountOf(a projections.Account) Account {
	active, now := 0, time.Now()
	for _, key := range a.Keys {
		if !key.Revoked && !key.Expired(now) {
			active++
		}
	}
	row := Account{
		ID: a.ID, Name: a.Name, Title: a.Title, TimeZone: a.TimeZone, BodyVersion: a.BodyVersion, Language: a.Language, ActiveKeys: active,
		State: "active", Retention: a.Retention, Limits: a.Limits, Ceiling: a.Ceiling, Allowed: a.Allowed(), Suspended: a.Suspended,
	}
	if a.Suspended != nil {
		row.State = "suspended"
	}
	return row
}

// NewAccount is what an account is made of. An empty zone is UTC, body version 0 the newest.
type NewAccount struct {
	Name        string `json:"name"`
	TimeZone    string `json:"time_zone"`
	BodyVersion int    `json:"body_version"`
	Language    string `json:"language,omitempty"`
}

// AccountChange changes settings of an account; null leaves one as it is.
type AccountChange struct {
	Title       *string      `json:"title,omitempty"`
	TimeZone    *string      `json:"time_zone,omitempty"`
	BodyVersion *int         `json:"body_version,omitempty"`
	Language    *string      `json:"language,omitempty"`       // "" is that of each domain
	Retention   *int         `json:"retention_days,omitempty"` // 0 keeps conversations for ever
	Limits      LimitsChange `json:"limits,omitzero"`
	Ceiling     LimitsChange `json:"ceiling,omitzero"` // by operators
}

// Suspension says why the use of an account ends, as its members see it.
type Suspension struct {
	Reason string `json:"reason"`
}

// LimitsChange is limits of which null leaves one as it is, and 0 takes one away.
type LimitsChange struct {
	Calculations  *int `json:"calculations,omitempty"`
	Reads         *int `json:"reads,omitempty"`
	Prose         *int `json:"prose,omitempty"`
	MonthMessages *int `json:"month_messages,omitempty"`
	MonthBytes    *int `json:"month_bytes,omitempty"`
}

// accounts lists those that the caller has a part in, all of them for an operator.
func (q *request) accounts() (http.Answer, error) {
	all, err := q.admin.Accounts(q.ctx())
	if err != nil {
		return http.Answer{}, err
	}
	rows := []Account{}
	for _, a := range all {
		_, is := a.Role(q.caller.user.ID)
		if q.caller.shell() || (is || q.caller.operator()) && q.caller.token.Sees(a.ID) {
			rows = append(rows, accountOf(a))
		}
	}
	return answerPart(q, "accounts", q.caller.user.ID, rows)
}

func (q *request) createAccount() (http.Answer, error) {
	var n NewAccount
	if err := q.object(&n); err != nil {
		return http.Answer{}, err
	}
	account, err := q.admin.CreateAccount(q.ctx(), commands.CreateAccount{Name: n.Name, TimeZone: n.TimeZone, BodyVersion: n.BodyVersion, Language: n.Language})
	if err != nil {
		return http.Answer{}, err
	}
	return http.Answer{Status: nethttp.StatusCreated, Body: accountOf(account)}, nil
}

func (q *request) showAccount() (http.Answer, error) {
	return http.Answer{Body: accountOf(q.account)}, nil
}

func (q *request) changeAccount() (http.Answer, error) {
	var c AccountChange
	if err := q.object(&c); err != nil {
		return http.Answer{}, err
	}
	if c.Ceiling != (LimitsChange{}) && !q.caller.operator() {
		return http.Answer{}, insufficient(operator)
	}
	return q.changedAccount(q.admin.ChangeAccount(q.ctx(), commands.ChangeAccount{
		Name: q.account.Name, Title: c.Title, TimeZone: c.TimeZone, BodyVersion: c.BodyVersion, Language: c.Language, Retention: c.Retention,
		Limits: commands.ChangeLimits(c.Limits), Ceiling: commands.ChangeLimits(c.Ceiling),
	}))
}

func (q *request) changedAccount(account projections.Account, err error) (http.Answer, error) {
	return http.Answer{Body: accountOf(account)}, err
}

func (q *request) suspendAccount() (http.Answer, error) {
	var s Suspension
	if err := q.object(&s); err != nil {
		return http.Answer{}, err
	}
	return q.changedAccount(q.admin.Suspend(q.ctx(), q.account.Name, s.Reason))
}

func (q *request) resumeAccount() (http.Answer, error) {
	return q.changedAccount(q.admin.Resume(q.ctx(), q.account.Name))
}
