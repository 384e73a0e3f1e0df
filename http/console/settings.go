package console

import (
	"context"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"reckon/commands"
	"reckon/commands/export"
	"reckon/http"
	"reckon/projections"
)

// settingsShown is what the page of settings shows.
type settingsShown struct {
	Account   projections.Account
	Title     string // as it was written in the form, as are the others
	Zone      string
	Zones     []string // that there are
	Now       string   // the time there
	Version   string
	Language  string   // tag, "" for that of each domain
	Languages []string // that there are
	Retention string
	Limits    []limitShown
	Done      string
}

// limitShown is a limit, as it is written in the form.
type limitShown struct {
	Name, What string
	Value      string // "" for none
	Ceiling    int    // what operators allow, 0 where they bound nothing
}

// limits are the fields of limits.
var limits = []struct {
	name, what string
	of         func(*projections.Limits) *int
	change     func(*commands.ChangeLimits) **int
}{
	{"calculations", "Calculations a second", func(l *projections.Limits) *int { return &l.Calculations }, func(c *commands.ChangeLimits) **int { return &c.Calculations }},
	{"reads", "Reads a second", func(l *projections.Limits) *int { return &l.Reads }, func(c *commands.ChangeLimits) **int { return &c.Reads }},
	{"prose", "Questions in words a second", func(l *projections.Limits) *int { return &l.Prose }, func(c *commands.ChangeLimits) **int { return &c.Prose }},
	{"month_messages", "Messages a month", func(l *projections.Limits) *int { return &l.MonthMessages }, func(c *commands.ChangeLimits) **int { return &c.MonthMessages }},
	{"month_bytes", "Bytes a month", func(l *projections.Limits) *int { return &l.MonthBytes }, func(c *commands.ChangeLimits) **int { return &c.MonthBytes }},
}

func (c *Console) settingsPage(v *visit) (http.Answer, error) {
	done := ""
	if v.x.Request().URL.Query().Has("kept") {
		done = "It is kept, and holds for what is asked from now on."
	}
	return c.settings(v, 0, nil, settingsShown{Done: done})
}

// settings shows the settings of the account, as they are or as a form has them.
func (c *Console) settings(v *visit, status int, form url.Values, s settingsShown) (http.Answer, error) {
	if err := c.views.Fresh(v.x.Request().Context()); err != nil {
		return http.Answer{}, err
	}
	s.Account, _ = c.views.Account(v.account.ID)
	s.Title, s.Zone, s.Version, s.Retention = s.Account.Title, s.Account.TimeZone, strconv.Itoa(s.Account.BodyVersion), written(s.Account.Retention)
	s.Language, s.Languages = s.Account.Language, commands.Languages()
	s.Zones = zones
	s.Now = time.Now().In(zoneOf(s.Account)).Format("15:04")
	for _, l := range limits {
		s.Limits = append(s.Limits, limitShown{l.name, l.what, written(*l.of(&s.Account.Limits)), *l.of(&s.Account.Ceiling)})
	}
	if form != nil {
		s.Title, s.Zone, s.Version, s.Retention = form.Get("title"), form.Get("zone"), form.Get("version"), form.Get("retention")
		s.Language = form.Get("language")
		for i := range s.Limits {
			s.Limits[i].Value = form.Get(s.Limits[i].Name)
		}
	}
	return c.page("settings", v, status, s)
}

// written is a number of which 0 is none.
func written(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// changeSettings keeps what the form says.
func (c *Console) changeSettings(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	title, zone := strings.TrimSpace(form.Get("title")), strings.TrimSpace(form.Get("zone"))
	tag := form.Get("language")
	change := commands.ChangeAccount{Name: v.account.Name, Title: &title, TimeZone: &zone, Language: &tag}
	change.BodyVersion, change.Retention = v.wholeOf(form, "version", "Body version"), v.wholeOf(form, "retention", "Retention")
	for _, l := range limits {
		*l.change(&change.Limits) = v.wholeOf(form, l.name, l.what)
	}
	if v.account.Retention != *change.Retention && *change.Retention > 0 && form.Get("forget") != "yes" {
		v.fault("Retention: conversations whose last message is longer ago are erased at once, which cannot be taken back. Say that it is meant, in the box below the field.", "retention")
	}
	if v.faults == nil {
		_, err := c.admin(v).ChangeAccount(v.x.Request().Context(), change)
		if err == nil {
			return redirect(Path + "/settings?kept"), nil
		}
		if !v.refused(err) {
			return http.Answer{}, err
		}
	}
	return c.settings(v, unprocessable, form, settingsShown{})
}

// export hands out what the account has, as an archive.
func (c *Console) export(v *visit) (http.Answer, error) {
	ctx := v.x.Request().Context()
	through, err := c.log.Last(ctx)
	if err != nil {
		return http.Answer{}, err
	}
	x := export.Export{Admin: c.admin(v), Account: v.account, Through: through}
	return http.Answer{
		Header: map[string]string{"Content-Type": "application/zip", "Content-Disposition": `attachment; filename="` + x.Name() + `"`},
		Stream: func(to io.Writer) error { return x.Write(ctx, to) },
	}, nil
}

// eraseAccount ends the account and forgets its conversations, when its name is typed.
func (c *Console) eraseAccount(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	if form.Get("name") != v.account.Name {
		v.fault("Nothing is erased: type the name of the account, "+v.account.Name+".", "name")
		return c.settings(v, unprocessable, nil, settingsShown{})
	}
	// A browser that goes away does not leave it half erased.
	if _, err := c.admin(v).EraseAccount(context.WithoutCancel(v.x.Request().Context()), v.account.Name, "Erased in the console."); err != nil {
		return http.Answer{}, err
	}
	return redirect(Path), nil
}
