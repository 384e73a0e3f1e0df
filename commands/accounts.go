package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"reckon/engine/language"
	"reckon/events"
	"reckon/events/log"
	"reckon/projections"
)

// Errors of administration, matched with errors.Is.
var (
	// ErrExists says that the account is there already.
	ErrExists = errors.New("exists already")
	// ErrNone says that what was named is not there.
	ErrNone = errors.New("does not exist")
	// ErrRevoked says that a key is revoked, which is for ever.
	ErrRevoked = errors.New("is revoked")
)

// RefusedError says what is wrong with a command, in words for who gave it.
type RefusedError struct {
	text  string
	Field string // what of the command it is about, as /admin/v1 names it; "" for all of it
}

func (e *RefusedError) Error() string { return e.text }

func refused(format string, args ...any) error {
	return &RefusedError{text: fmt.Sprintf(format, args...)}
}

// about says of what is refused which field of the command it is about; other errors stay as they
// are.
func about(field string, err error) error {
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		refused.Field = field
	}
	return err
}

// Admin decides administrators' commands where they are given: it reads the history of the one
// account, user or domain that a command is about, decides, and appends, expecting that nothing
// came in between. It needs no worker, and views only so that of a long history it reads what they
// do not have yet. Each event says by whom it came about; the zero actor is the service itself.
type Admin struct {
	Log   *log.Log
	Views *projections.Views // nil for none
	By    events.Actor

	Request *AdminRequest // that is done once; nil for commands that are done as often as they are given
}

// names is the name space of ids that are made from names.
var names = uuid.MustParse("6b1f0c1e-5d0a-5a53-9d0c-7f3f3b1b7a11")

// AccountID is the id of the account with this name. Names are told apart ignoring case.
func AccountID(name string) uuid.UUID {
	return uuid.NewSHA1(names, []byte("account "+strings.ToLower(name)))
}

// CreateAccount opens an account. An empty zone is UTC, body version 0 is the newest; without a
// language prose is read in that of each domain.
type CreateAccount struct {
	Name        string
	TimeZone    string
	BodyVersion int
	Language    string
}

// ChangeAccount changes settings of an account; nil leaves one as it is.
type ChangeAccount struct {
	Name        string
	Title       *string // what people see in place of the name, "" for nothing else
	TimeZone    *string
	BodyVersion *int
	Language    *string      // tag, "" for that of each domain
	Retention   *int         // days that conversations are kept without activity, 0 for ever
	Limits      ChangeLimits // that owners set, at most what operators allow
	Ceiling     ChangeLimits // what operators allow
}

// ChangeLimits changes limits as projections.Limits has them; nil leaves one as it is.
type ChangeLimits struct{ Calculations, Reads, Prose, MonthMessages, MonthBytes *int }

// of are limits with the changes.
func (c ChangeLimits) of(l projections.Limits) projections.Limits {
	return projections.Limits{
		Calculations:  *cmp.Or(c.Calculations, &l.Calculations),
		Reads:         *cmp.Or(c.Reads, &l.Reads),
		Prose:         *cmp.Or(c.Prose, &l.Prose),
		MonthMessages: *cmp.Or(c.MonthMessages, &l.MonthMessages),
		MonthBytes:    *cmp.Or(c.MonthBytes, &l.MonthBytes),
	}
}

// within says which of the changes is above what operators allow.
func (c ChangeLimits) within(ceiling projections.Limits) error {
	for _, l := range []struct {
		field, what   string
		asked, allows *int
	}{
		{"calculations", "calculations a second", c.Calculations, &ceiling.Calculations}, {"reads", "reads a second", c.Reads, &ceiling.Reads},
		{"prose", "calculations in natural language a second", c.Prose, &ceiling.Prose},
		{"month_messages", "messages a month", c.MonthMessages, &ceiling.MonthMessages}, {"month_bytes", "bytes a month", c.MonthBytes, &ceiling.MonthBytes},
	} {
		if l.asked != nil && *l.allows > 0 && *l.asked > *l.allows {
			return about(l.field, refused("a limit of %d %s: the operator allows %d at most", *l.asked, l.what, *l.allows))
		}
	}
	return nil
}

// The largest limits of requests a second, and of messages and bytes a month.
const (
	maxLimit = 1_000_000
	maxMonth = 1_000_000_000_000_000
)

func checkLimits(l projections.Limits) error {
	for _, l := range []struct {
		field   string
		n, most int
		each    string
	}{
		{"calculations", l.Calculations, maxLimit, "second"}, {"reads", l.Reads, maxLimit, "second"}, {"prose", l.Prose, maxLimit, "second"},
		{"month_messages", l.MonthMessages, maxMonth, "month"}, {"month_bytes", l.MonthBytes, maxMonth, "month"},
	} {
		if l.n < 0 || l.n > l.most {
			return about(l.field, refused("a limit of %d a %s: give 1 to %d, or 0 for none", l.n, l.each, l.most))
		}
	}
	return nil
}

// maxRetention is how many days conversations can be kept for at most, where not for ever.
const maxRetention = 36_500

func checkRetention(days *int) error {
	if days != nil && (*days < 0 || *days > maxRetention) {
		return about("retention_days", refused("a retention of %d days: give 1 to %d, or 0 to keep conversations for ever", *days, maxRetention))
	}
	return nil
}

// Languages are the tags of those that prose is read and answered in.
func Languages() []string { return language.Languages() }

func checkSettings(zone string, bodyVersion int, tag string) error {
	if _, ok := Zone(zone); !ok {
		return about("time_zone", refused("time zone %q is not known: give an IANA name such as Europe/Berlin", zone))
	}
	if bodyVersion != 1 && bodyVersion != 2 {
		return about("body_version", refused("body version %d does not exist: give 1 or 2", bodyVersion))
	}
	if known := Languages(); tag != "" && !slices.Contains(known, tag) {
		return about("language", refused("language %q is not known: give one of %s, or none for that of each domain", tag, strings.Join(known, ", ")))
	}
	return nil
}

func checkName(name string) error {
	steers := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }
	switch {
	case name == "" || utf8.RuneCountInString(name) > 100 || name != strings.TrimSpace(name):
		return refused("account name %q: give 1 to 100 characters, without space at the ends", name)
	case !utf8.ValidString(name):
		return refused("account name %q: give it in UTF-8", name)
	case strings.ContainsFunc(name, steers):
		return refused("account name %q: leave out control characters, and those that turn the order of letters around", name)
	}
	return nil
}

// CreateAccount fails with ErrExists where the name is taken.
func (a Admin) CreateAccount(ctx context.Context, c CreateAccount) (projections.Account, error) {
	data := &events.AccountCreated{
		AccountID: AccountID(c.Name), Name: c.Name,
		TimeZone: cmp.Or(c.TimeZone, "UTC"), BodyVersion: cmp.Or(c.BodyVersion, 2), Language: strings.ToLower(c.Language),
	}
	if err := errors.Join(about("name", checkName(c.Name)), checkSettings(data.TimeZone, data.BodyVersion, data.Language)); err != nil {
		return projections.Account{}, err
	}
	if account, done, err := a.accountDone(ctx, data.AccountID); done {
		return account, err
	}
	account, err := a.append(ctx, projections.Account{ID: data.AccountID}, data)
	if errors.Is(err, log.ErrConflict) {
		return account, fmt.Errorf("account %q %w", c.Name, ErrExists)
	}
	return account, err
}

// ChangeAccount fails with ErrNone where there is no such account.
func (a Admin) ChangeAccount(ctx context.Context, c ChangeAccount) (projections.Account, error) {
	if c.Title != nil && *c.Title != "" {
		if err := about("title", checkName(*c.Title)); err != nil {
			return projections.Account{}, err
		}
	}
	return a.change(ctx, AccountID(c.Name), c.Name, func(was projections.Account) (any, error) {
		data := &events.AccountChanged{
			TimeZone:    *cmp.Or(c.TimeZone, &was.TimeZone),
			BodyVersion: *cmp.Or(c.BodyVersion, &was.BodyVersion),
			Limits:      c.Limits.of(was.Limits),
		}
		if c.Title != nil && *c.Title != was.Title {
			data.Title = c.Title
		}
		tag := was.Language
		if c.Language != nil && !strings.EqualFold(*c.Language, was.Language) {
			tag = strings.ToLower(*c.Language)
			data.Language = &tag
		}
		if c.Retention != nil && *c.Retention != was.Retention {
			data.Retention = c.Retention
		}
		ceiling := c.Ceiling.of(was.Ceiling)
		if ceiling != was.Ceiling {
			data.Ceiling = &ceiling
		}
		if *data == (events.AccountChanged{TimeZone: was.TimeZone, BodyVersion: was.BodyVersion, Limits: was.Limits}) {
			return nil, nil
		}
		return data, errors.Join(checkSettings(data.TimeZone, data.BodyVersion, tag), checkLimits(data.Limits), checkLimits(ceiling), c.Limits.within(ceiling), checkRetention(c.Retention))
	})
}

// ErrSuspended says that nothing is calculated or published for an account.
var ErrSuspended = errors.New("is suspended: an operator takes it into use again with `reckon account resume`")

// maxReason is how many characters the reason of a suspension, or of an erasure, has at most.
const maxReason = 200

// Suspend ends the use of an account's keys, and of publishing for it. What it has can be read by
// its members. Of one that is suspended for the same reason nothing changes. It fails with ErrNone.
func (a Admin) Suspend(ctx context.Context, account, reason string) (projections.Account, error) {
	if err := about("reason", checkText("the reason", &reason, maxReason, "")); err != nil {
		return projections.Account{}, err
	}
	return a.change(ctx, AccountID(account), account, func(was projections.Account) (any, error) {
		if was.Suspended != nil && was.Suspended.Reason == reason {
			return nil, nil
		}
		return &events.AccountSuspended{AccountID: was.ID, Reason: reason}, nil
	})
}

// Resume takes Suspend back. It fails with ErrNone.
func (a Admin) Resume(ctx context.Context, account string) (projections.Account, error) {
	return a.change(ctx, AccountID(account), account, func(was projections.Account) (any, error) {
		if was.Suspended == nil {
			return nil, nil
		}
		return &events.AccountResumed{AccountID: was.ID}, nil
	})
}

// Account finds an account by name. It fails with ErrNone.
func (a Admin) Account(ctx context.Context, name string) (projections.Account, error) {
	return a.AccountWith(ctx, AccountID(name), name)
}

// AccountWith finds an account by id, which the caller calls by a name. It fails with ErrNone.
func (a Admin) AccountWith(ctx context.Context, id uuid.UUID, name string) (projections.Account, error) {
	account, err := a.read(ctx, id)
	if err == nil && account.Sequence == 0 {
		err = noAccount(name)
	}
	return account, err
}

func noAccount(name string) error {
	return fmt.Errorf("account %q %w: `reckon account list` names those there are, `reckon account create` makes one", name, ErrNone)
}

// Accounts lists all accounts in the order of their names.
func (a Admin) Accounts(ctx context.Context) ([]projections.Account, error) {
	ids, err := a.Log.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	list := []projections.Account{}
	for _, id := range ids {
		account, err := a.read(ctx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, account)
	}
	sortBy(list, func(a projections.Account) string { return strings.ToLower(a.Name) })
	return list, nil
}

func (a Admin) read(ctx context.Context, id uuid.UUID) (projections.Account, error) {
	account := projections.Account{ID: id}
	if a.Views != nil {
		if folded, found := a.Views.Account(id); found {
			account = folded
		}
	}
	history, err := a.Log.Read(ctx, events.AccountSubject(id), account.Sequence)
	if err != nil {
		return projections.Account{}, fmt.Errorf("read account: %w", err)
	}
	for _, e := range history {
		account = projections.ApplyAccount(account, e)
	}
	return account, nil
}

// change reads an account, decides, and appends; when another change came in between, it starts
// again. A decision of nil changes nothing. name is how the caller called the account.
func (a Admin) change(ctx context.Context, id uuid.UUID, name string, decide func(projections.Account) (any, error)) (projections.Account, error) {
	for {
		account, err := a.read(ctx, id)
		if err != nil {
			return account, err
		}
		if account.Sequence == 0 {
			return account, noAccount(name)
		}
		data, err := decide(account)
		if a.Request.did(events.AccountSubject(id), data, err) {
			account, _, err = a.accountDone(ctx, id)
			return account, err
		}
		if err != nil || data == nil {
			return account, err
		}
		account, err = a.append(ctx, account, data)
		if !errors.Is(err, log.ErrConflict) {
			return account, err
		}
	}
}

func (a Admin) append(ctx context.Context, account projections.Account, data any) (projections.Account, error) {
	e := newEvent(events.AccountSubject(account.ID), data)
	sequence, err := a.record(ctx, e, account.Sequence)
	if err != nil {
		return account, fmt.Errorf("record the change: %w", err)
	}
	e.Sequence = sequence
	return projections.ApplyAccount(account, e), nil
}

// record appends an event whose subject's last sequence is expected, and returns its own. Where
// another message is under way, or the outcome is not known, as while a cluster elects a leader, it
// looks whether the event is there and appends it again, for as long as a request may take. It
// fails with log.ErrConflict where another event was first.
func (a Admin) record(ctx context.Context, e events.Event, expected uint64) (uint64, error) {
	if data, is := e.Data.(events.Administration); is {
		by := a.By
		by.How = cmp.Or(by.How, events.ByService)
		data.Sign(by)
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	if a.Request != nil {
		e.Request = a.Request.mark()
		if err := a.unrepeated(ctx, e); err != nil {
			return 0, err
		}
	}
	for {
		sequence, err := a.Log.Append(ctx, e, expected)
		if err == nil {
			return a.recorded(sequence), nil
		}
		if !errors.Is(err, log.ErrInFlight) && !errors.Is(err, log.ErrUnknown) && !errors.Is(err, log.ErrConflict) {
			return 0, err
		}
		newer, lookup := a.Log.Read(ctx, e.Subject, expected)
		for _, n := range newer {
			if n.ID == e.ID {
				return a.recorded(n.Sequence), nil
			}
		}
		if errors.Is(err, log.ErrConflict) && (lookup == nil || len(newer) > 0) {
			return 0, err
		}
		if a.Log.Broken() != nil || pause(ctx, 5*time.Millisecond, 50*time.Millisecond) != nil {
			return 0, fmt.Errorf("it is not known whether it was: look, and give the command again if not: %w", err)
		}
	}
}

// recorded notes that the request has brought something about, by the event with a sequence.
func (a Admin) recorded(sequence uint64) uint64 {
	if a.Request != nil {
		*a.Request.acts = true
	}
	return sequence
}

func newEvent(s events.Subject, data any) events.Event {
	return events.Event{ID: uuid.New(), Time: time.Now().UTC().Truncate(time.Millisecond), Subject: s, Data: data}
}
