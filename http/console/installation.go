package console

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/nodes"
	"reckon/http"
	"reckon/projections"
)

// installationPath is where operators see how the installation is.
const installationPath = Path + "/installation"

// installationShown is what the page of the installation shows.
type installationShown struct {
	Critical, Warnings, Notes []nodes.Advice
	State                     nodes.Installation
	Where                     string // the node that the page is of
	Nodes                     []nodeShown
	Queue                     string
	Events                    string
	Log                       string
	Tasks                     []taskShown
	Works                     bool   // something runs, or may run
	Begun                     string // node on which the visitor has begun something
	Lost                      string // what became of that, where its node does not know of it
	Models                    []string
	Tenants                   []tenantRow
	Name, Zone, Email         string // as they were written in the form
	Zones                     []string
}

// nodeShown is a node in the table.
type nodeShown struct {
	Name, Version, State, Log, Since, Behind, Disk, Backup string
	Well                                                   bool
	This                                                   bool
	Certificates                                           []string
}

// tenantRow is an account in the list of all.
type tenantRow struct {
	ID                uuid.UUID
	Name, Title, Zone string
	People            string
	Keys              string
	Month             string
	Suspended         bool
	Orphan            bool // nobody is an owner of it
}

func (c *Console) installationPage(v *visit) (http.Answer, error) {
	return c.installation(v, 0, installationShown{})
}

// source is where the state of this node comes from.
func (c *Console) source() nodes.Source {
	return nodes.Source{Own: c.config.Node, Log: c.log, Views: c.views}
}

// installation shows how the nodes are, what is not well and what to do, and all accounts.
func (c *Console) installation(v *visit, status int, s installationShown) (http.Answer, error) {
	ctx, now := v.x.Request().Context(), time.Now()
	state, err := c.source().All(ctx)
	if err != nil {
		return http.Answer{}, err
	}
	s.State, s.Where, s.Models, s.Zones = state, state.This.Name, projections.Names(), zones
	s.Begun = v.x.Request().URL.Query().Get("work")
	s.tasks(state)
	s.lost(state, s.Begun)
	found := nodes.Advise(state, cmp.Or(c.config.Node.Dir, "this node"), nodes.BackupAge, now)
	for _, a := range append(found, state.This.Findings...) {
		switch a.Level {
		case nodes.Critical:
			s.Critical = append(s.Critical, a)
		case nodes.Warning:
			s.Warnings = append(s.Warnings, a)
		default:
			s.Notes = append(s.Notes, a)
		}
	}
	s.Events, s.Queue, s.Log = grouped(int(state.Events)), grouped(int(state.This.Queue)), nodes.Bytes(state.This.LogBytes)
	for _, a := range state.Nodes {
		s.Nodes = append(s.Nodes, nodeOf(state, a))
	}
	accounts, err := c.admin(v).Accounts(ctx)
	if err != nil {
		return http.Answer{}, err
	}
	for _, a := range accounts {
		s.Tenants = append(s.Tenants, c.tenantOf(a, now))
	}
	return c.page("installation", v, status, s)
}

// nodeOf is a node as the table has it.
func nodeOf(all nodes.Installation, a nodes.Answer) nodeShown {
	s := nodeShown{Name: a.Name, State: "does not answer", This: a.Name == all.This.Name, Log: "keeps it"}
	for _, peer := range all.Others {
		switch {
		case peer.Name != a.Name:
		case peer.Offline:
			s.State = "not there"
		case peer.Leads:
			s.Log = "leads"
		case peer.Current:
			s.Log = "follows"
		default:
			s.Log = grouped(int(peer.Lag)) + " behind"
		}
	}
	n := a.Node
	if n == nil {
		return s
	}
	behind := all.Events - min(all.Events, n.Folded)
	s.Version, s.Behind, s.State, s.Well = cmp.Or(n.Version, "not told"), count(int(behind), "event", "events"), "ready", n.Ready && n.Damaged == ""
	switch {
	case n.Damaged != "":
		s.State = "damaged: " + n.Damaged
	case !n.Ready:
		s.State = "not ready: " + n.Waits
	}
	if n.Started != nil {
		s.Since = moment(*n.Started, time.UTC)
	}
	if n.DiskTotal > 0 {
		s.Disk = nodes.Bytes(n.DiskFree) + " of " + nodes.Bytes(n.DiskTotal) + " free"
	}
	s.Backup = "none known"
	if n.Backup != nil {
		s.Backup = nodes.Span(time.Since(*n.Backup)) + " ago"
	}
	for _, of := range n.Certificates {
		s.Certificates = append(s.Certificates, of.Of+" until "+of.Ends.Format("2 Jan 2006"))
	}
	return s
}

// tenantOf is an account in the list, with what it has and not what it asked.
func (c *Console) tenantOf(a projections.Account, now time.Time) tenantRow {
	used := c.views.Used(a.ID, now)
	active := 0
	for _, key := range a.Keys {
		if !key.Revoked && !key.Expired(now) {
			active++
		}
	}
	return tenantRow{
		ID: a.ID, Name: a.Name, Title: a.Title, Zone: a.TimeZone, People: count(len(a.Members), "person", "people"), Keys: count(active, "key", "keys"),
		Month: count(used.Messages, "message", "messages") + " this month", Suspended: a.Suspended != nil, Orphan: a.Owners() == 0,
	}
}

// createAccount makes an account, with a link for its owner where an address is given.
func (c *Console) createAccount(v *visit) (http.Answer, error) {
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	s := installationShown{Name: strings.TrimSpace(form.Get("name")), Zone: strings.TrimSpace(form.Get("zone")), Email: strings.TrimSpace(form.Get("email"))}
	ctx, admin := v.x.Request().Context(), c.admin(v)
	if s.Email != "" {
		err = commands.Another(projections.Account{}, v.user.ID, commands.UserID(s.Email))
	}
	var account projections.Account
	if err == nil {
		account, err = admin.CreateAccount(ctx, commands.CreateAccount{Name: s.Name, TimeZone: s.Zone})
	}
	if err != nil {
		if !v.refused(err) {
			return http.Answer{}, err
		}
		return c.installation(v, unprocessable, s)
	}
	if s.Email == "" {
		return redirect(tenantOfID(account.ID)), nil
	}
	return c.linked(v, account, commands.Invite{Email: s.Email, Account: account.Name, Role: projections.RoleOwner})
}

// Well tells whether nothing is to be done.
func (s installationShown) Well() bool { return len(s.Critical)+len(s.Warnings) == 0 }

// Found is what is to be done, the worst first.
func (s installationShown) Found() []nodes.Advice { return slices.Concat(s.Critical, s.Warnings) }

// Several tells whether there is more than one node.
func (s installationShown) Several() bool { return len(s.Nodes) > 1 }

// Certified tells whether nodes have certificates.
func (s installationShown) Certified() bool {
	return slices.ContainsFunc(s.Nodes, func(n nodeShown) bool { return len(n.Certificates) > 0 })
}
