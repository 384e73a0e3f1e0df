package admin

import (
	"errors"
	"fmt"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/history"
	"reckon/events"
	"reckon/events/log"
	"reckon/http"
	"reckon/projections"
)

// least is who may ask for a route: those who have a role in the account that its path names, or
// more, and operators where it says so.
type least struct {
	role     projections.Role // "" where the account, if any, is not looked at
	operator bool
	reads    bool // though the method is not GET: a token with the scope read may ask for it
}

// Who may ask for what.
var (
	anybody             = least{} // who has a token
	member              = least{role: projections.RoleMember}
	memberOrOperator    = least{role: projections.RoleMember, operator: true}
	developer           = least{role: projections.RoleDeveloper}
	developerOrOperator = least{role: projections.RoleDeveloper, operator: true}
	owner               = least{role: projections.RoleOwner}
	ownerOrOperator     = least{role: projections.RoleOwner, operator: true}
	operator            = least{operator: true}
)

// reading is who may ask for what changes nothing, by a method that is not GET.
func reading(l least) least {
	l.reads = true
	return l
}

// String says who it is, in a sentence.
func (l least) String() string {
	switch {
	case l.role != "" && l.operator:
		return "the role " + string(l.role) + ", or that of an operator"
	case l.operator:
		return "the role of an operator"
	}
	return "the role " + string(l.role)
}

// permit finds the account that the path names and the caller's role in it, and says whether that
// is enough. To who has no part in an account it looks as if there were none.
func (q *request) permit(l least) error {
	if q.shell == nil {
		q.caller = q.Caller.(caller)
		q.admin.By = events.Actor{How: events.ByToken, UserID: &q.caller.user.ID, TokenID: &q.caller.token.ID}
	} else {
		q.admin.By = *q.shell
	}
	text, named := q.Named("account")
	if named {
		if err := q.findAccount(text); err != nil {
			return err
		}
	}
	if q.caller.shell() {
		return nil
	}
	method := q.Request().Method
	if !q.caller.token.Writes() && !l.reads && method != nethttp.MethodGet && method != nethttp.MethodHead {
		return readingToken
	}
	if named {
		q.role, _ = q.account.Role(q.caller.user.ID)
	}
	enough := l.role == "" && !l.operator || l.operator && q.caller.user.Operator ||
		l.role != "" && q.role != "" && q.role.May(l.role)
	switch {
	case named && (!q.caller.token.Sees(q.account.ID) || q.role == "" && !q.caller.user.Operator):
		return q.unknownAccount(text)
	case !named && l.operator && !q.caller.token.Sees(uuid.Nil):
		return limitedToken
	case !enough:
		return insufficient(l)
	}
	return nil
}

// insufficient is the 403 of who has another role than is needed.
func insufficient(l least) error {
	way := " in the account, whose owners give roles."
	if l.operator {
		way = "."
	}
	return http.Failure(nethttp.StatusForbidden, "error_insufficient_role", "This needs "+l.String()+way)
}

// Whose stands in a path for the account of what the path names further on.
const Whose = "-"

// findAccount finds the account that a path names by its name or its id, or by something that it
// has.
func (q *request) findAccount(text string) (err error) {
	id, isID := http.CanonicalUUID(text)
	switch {
	case text == Whose:
		if id, err = q.owns(); err != nil {
			return answered(err)
		}
	case !isID:
		id = commands.AccountID(text)
	}
	q.account, err = q.admin.AccountWith(q.ctx(), id, text)
	if errors.Is(err, commands.ErrNone) && isID {
		q.account, err = q.admin.Account(q.ctx(), text)
	}
	if errors.Is(err, commands.ErrNone) {
		return q.unknownAccount(text)
	}
	return answered(err)
}

// unknownAccount is what is said of an account that is not there, or not for the caller: who makes
// none is told of those who let others in.
func (q *request) unknownAccount(text string) error {
	if text == Whose {
		return http.NotFound(q.nothing())
	}
	if !q.caller.operator() {
		return http.NotFound(fmt.Sprintf("account %q %v for you: `reckon account list` names those that you and your token have a part in; an owner of an account, or an operator, gives you a part in it", text, commands.ErrNone))
	}
	_, err := q.admin.AccountWith(q.ctx(), uuid.Nil, text)
	return answered(err)
}

// user finds the user that a path names, by address or id. Only an operator and that user may ask;
// to others it looks as if there were none.
func (q *request) user() (projections.User, error) {
	text, _ := q.Named("user")
	id, isID := http.CanonicalUUID(text)
	if !isID {
		id = commands.UserID(text)
	}
	if !q.caller.operator() && q.caller.user.ID != id {
		return projections.User{}, http.NotFound(fmt.Sprintf("user %q %v for you: operators see other users, and `reckon member list` shows those of an account", text, commands.ErrNone))
	}
	return q.admin.UserWith(q.ctx(), id, text)
}

// domain finds the domain that a path names.
func (q *request) domain() (projections.Domain, error) {
	name, _ := q.Named("domain")
	return q.domainNamed(name)
}

// domainNamed finds a domain of the account by its dm_ key, its id or its title.
func (q *request) domainNamed(name string) (projections.Domain, error) {
	domains, err := q.admin.Domains(q.ctx(), q.account.ID)
	if err != nil {
		return projections.Domain{}, err
	}
	var titles []string
	for _, d := range domains {
		if d.Key == name || d.ID.String() == name || strings.EqualFold(commands.Title(d), name) {
			return d, nil
		}
		titles = append(titles, fmt.Sprintf("%q", commands.Title(d)))
	}
	hint := "it has none yet"
	if len(titles) > 0 {
		hint = "it has " + strings.Join(titles[:min(len(titles), 10)], ", ")
	}
	return projections.Domain{}, http.NotFound(fmt.Sprintf("account %q has no domain with the title, key or id %q: %s", q.account.Name, name, hint))
}

// owns is the account that has what a path names.
func (q *request) owns() (uuid.UUID, error) {
	if key, named := q.Named("key"); named {
		id, _ := http.CanonicalUUID(key)
		accounts, err := q.admin.Accounts(q.ctx())
		for _, a := range accounts {
			if slices.ContainsFunc(a.Keys, func(k projections.Key) bool { return k.ID == id }) {
				return a.ID, nil
			}
		}
		if err != nil {
			return uuid.Nil, err
		}
	}
	if id, named := q.ID("webhook"); named {
		accounts, err := q.admin.Accounts(q.ctx())
		for _, a := range accounts {
			if _, has := a.Webhook(id); has {
				return a.ID, nil
			}
		}
		if err != nil {
			return uuid.Nil, err
		}
	}
	if id, named := q.ID("conversation"); named {
		subject, err := q.log.Load().Conversation(q.ctx(), id)
		if !errors.Is(err, log.ErrNotFound) {
			return subject.Account(), err
		}
	}
	if id, named := q.ID("message"); named {
		account, err := history.AccountOf(q.ctx(), q.log.Load(), id)
		if !errors.Is(err, commands.ErrNone) {
			return account, err
		}
	}
	return uuid.Nil, http.NotFound(q.nothing())
}

// conversation is the id of the account's conversation that the path names.
func (q *request) conversation() (uuid.UUID, error) {
	id, named := q.ID("conversation")
	if named {
		subject, err := q.log.Load().Conversation(q.ctx(), id)
		switch {
		case err == nil && subject.Account() == q.account.ID:
			return id, nil
		case err != nil && !errors.Is(err, log.ErrNotFound):
			return id, err
		}
	}
	return id, http.NotFound(q.nothing())
}

// nothing says that there is not what a path names.
func (q *request) nothing() string {
	if key, named := q.Named("key"); named {
		return fmt.Sprintf("key %s %v: `reckon key list --account NAME` shows the keys of an account", key, commands.ErrNone)
	}
	if webhook, named := q.Named("webhook"); named {
		return fmt.Sprintf("webhook %s %v: `reckon webhook list --account NAME` shows the webhooks of an account", webhook, commands.ErrNone)
	}
	if conversation, named := q.Named("conversation"); named {
		if q.account.Name != "" {
			return fmt.Sprintf("conversation %s %v in account %q: `reckon conversation list` names those there are", conversation, commands.ErrNone, q.account.Name)
		}
		return fmt.Sprintf("conversation %s %v: give the conversation_id of an answer", conversation, commands.ErrNone)
	}
	if message, named := q.Named("message"); named {
		return fmt.Sprintf("message %s %v: give the message_id of an answer", message, commands.ErrNone)
	}
	return fmt.Sprintf("%q names no account here: give its name or its id", Whose)
}
