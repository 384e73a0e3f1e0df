package console

import (
	nethttp "net/http"
	"net/url"

	"github.com/google/uuid"

	"reckon/http"
	"reckon/projections"
)

// least is who may see a page at least: anybody, whoever is signed in, a member with a role in the
// account of the session, or an operator, to others of whom it looks as if there were no page.
type least string

const (
	anybody   least = "anybody"
	person    least = "person"
	operator  least = "operator"
	member          = least(projections.RoleMember)
	developer       = least(projections.RoleDeveloper)
	owner           = least(projections.RoleOwner)
)

// route is a line of the console.
type route struct {
	method string
	path   string
	least  least
	handle func(*Console, *visit) (http.Answer, error)
}

// routes is the whole console.
var routes = []route{
	{"GET", "/", anybody, (*Console).root},
	{"GET", Path, member, (*Console).home},
	{"GET", Path + "/", anybody, (*Console).root},
	{"POST", Path + "/ask", member, (*Console).ask},
	{"GET", Path + "/conversations", member, (*Console).conversations},
	{"GET", Path + "/conversations/{id}", member, (*Console).conversation},
	{"POST", Path + "/conversations/{id}", member, (*Console).describe},
	{"GET", Path + "/conversations/{id}/events", member, (*Console).events},
	{"GET", Path + "/conversations/{id}/what-if", member, (*Console).whatIf},
	{"GET", Path + "/conversations/{id}/compare", member, (*Console).comparePage},
	{"GET", Path + "/conversations/{id}/history", member, (*Console).past},
	{"GET", Path + "/conversations/{id}/messages/{message}/why", member, (*Console).why},
	{"GET", Path + "/conversations/{id}/messages/{message}/bisect", member, (*Console).bisect},
	{"GET", Path + "/conversations/{id}/messages/{message}/test", member, (*Console).testPage},
	{"POST", Path + "/conversations/{id}/messages/{message}/test", developer, (*Console).addTest},
	{"GET", Path + "/domains/new", developer, (*Console).newDomain},
	{"POST", Path + "/domains/new", developer, (*Console).saveDomain},
	{"GET", Path + "/domains/{id}/edit", developer, (*Console).editDomain},
	{"POST", Path + "/domains/{id}/edit", developer, (*Console).saveDomain},
	{"PUT", Path + "/domains/{id}/draft", developer, (*Console).putDraft},
	{"POST", Path + "/editor/check", developer, (*Console).check},
	{"POST", Path + "/editor/test", developer, (*Console).test},
	{"POST", Path + "/editor/complete", developer, (*Console).complete},
	{"POST", Path + "/editor/explain", developer, (*Console).explain},
	{"POST", Path + "/editor/table", developer, (*Console).table},
	{"POST", Path + "/editor/try", developer, (*Console).try},
	{"GET", Path + "/keys", member, (*Console).keysPage},
	{"POST", Path + "/keys", developer, (*Console).createKey},
	{"POST", Path + "/keys/{key}/rotate", developer, (*Console).rotateKey},
	{"POST", Path + "/keys/{key}/revoke", developer, (*Console).revokeKey},
	{"GET", webhooksPath, developer, (*Console).webhooksPage},
	{"POST", webhooksPath, developer, (*Console).createWebhook},
	{"GET", webhooksPath + "/{webhook}", developer, (*Console).webhookPage},
	{"POST", webhooksPath + "/{webhook}", developer, changesHook((*Console).changeHook)},
	{"POST", webhooksPath + "/{webhook}/test", developer, changesHook((*Console).testHook)},
	{"POST", webhooksPath + "/{webhook}/roll", developer, changesHook((*Console).rollHook)},
	{"POST", webhooksPath + "/{webhook}/disable", developer, changesHook((*Console).disableHook)},
	{"POST", webhooksPath + "/{webhook}/enable", developer, changesHook((*Console).enableHook)},
	{"POST", webhooksPath + "/{webhook}/delete", developer, (*Console).deleteHook},
	{"POST", webhooksPath + "/{webhook}/deliveries/{delivery}/resend", developer, changesHook((*Console).resendHook)},
	{"GET", Path + "/domains", member, (*Console).domainsPage},
	{"GET", Path + "/domains/{id}", member, (*Console).domainPage},
	{"GET", Path + "/domains/{id}/publish", developer, (*Console).publishPage},
	{"POST", Path + "/domains/{id}/publish", developer, (*Console).publish},
	{"POST", Path + "/domains/{id}/restore", developer, (*Console).restoreVersion},
	{"POST", Path + "/domains/{id}/retire", developer, (*Console).retire},
	{"POST", Path + "/domains/{id}/discard", developer, (*Console).discardDraft},
	{"GET", Path + "/people", member, (*Console).peoplePage},
	{"POST", Path + "/people", owner, (*Console).invite},
	{"POST", Path + "/people/{user}/role", owner, (*Console).changeRole},
	{"POST", Path + "/people/{user}/remove", owner, (*Console).removeMember},
	{"GET", Path + "/usage", developer, (*Console).usagePage},
	{"GET", Path + "/audit", owner, (*Console).auditPage},
	{"GET", Path + "/settings", owner, (*Console).settingsPage},
	{"POST", Path + "/settings", owner, (*Console).changeSettings},
	{"GET", Path + "/settings/export", owner, (*Console).export},
	{"POST", Path + "/settings/erase", owner, (*Console).eraseAccount},
	{"GET", Path + "/sign-in", anybody, (*Console).signInPage},
	{"POST", Path + "/sign-in", anybody, (*Console).signIn},
	{"POST", Path + "/sign-out", anybody, (*Console).signOut},
	{"GET", Path + "/invitation", anybody, (*Console).invitationPage},
	{"POST", Path + "/invitation", anybody, (*Console).acceptInvitation},
	{"GET", Path + "/provider", anybody, (*Console).toProvider},
	{"GET", CallbackPath, anybody, (*Console).fromProvider},
	{"GET", Path + "/password", person, (*Console).passwordPage},
	{"POST", Path + "/password", person, (*Console).changePassword},
	{"GET", Path + "/you", person, (*Console).youPage},
	{"POST", Path + "/you/passkeys", person, (*Console).addPasskey},
	{"POST", Path + "/you/passkeys/begin", person, (*Console).beginPasskey},
	{"POST", Path + "/you/passkeys/remove", person, (*Console).removePasskey},
	{"POST", Path + "/you/sessions/end", person, (*Console).endSession},
	{"POST", Path + "/passkey/begin", anybody, (*Console).beginSignIn},
	{"POST", Path + "/passkey", anybody, (*Console).signInByPasskey},
	{"GET", installationPath, operator, (*Console).installationPage},
	{"POST", installationPath + "/verify", operator, (*Console).verify},
	{"POST", installationPath + "/rebuild", operator, (*Console).rebuild},
	{"POST", installationPath + "/stop", operator, (*Console).stopVerifying},
	{"POST", installationPath + "/accounts", operator, (*Console).createAccount},
	{"GET", tenantPath, operator, (*Console).tenantPage},
	{"POST", tenantPath + "/link", operator, (*Console).linkTo},
	{"POST", tenantPath + "/ceiling", operator, (*Console).changeCeiling},
	{"POST", tenantPath + "/suspend", operator, (*Console).suspend},
	{"POST", tenantPath + "/resume", operator, (*Console).resume},
	{"GET", Path + "/accounts", person, (*Console).accountsPage},
	{"POST", Path + "/accounts", person, (*Console).chooseAccount},
	{"GET", Path + "/assets/{hash}/{name}", anybody, (*Console).asset},
}

// guard has a route answered for those alone who may.
func (c *Console) guard(r route) func(*http.Exchange) (http.Answer, error) {
	return func(x *http.Exchange) (http.Answer, error) {
		v, ok := x.Caller.(*visit)
		if !ok { // outside of the console's path
			v = &visit{x: x}
		}
		if r.least == anybody {
			return r.handle(c, v)
		}
		if !v.signedIn() {
			if a, ok := v.keep(Path + "/sign-in"); ok && r.least != person {
				return a, nil
			}
			return c.toSignIn(v)
		}
		if r.least == person {
			return r.handle(c, v)
		}
		if r.least == operator {
			if !v.user.Operator {
				return http.Answer{}, http.NotFound("There is nothing at this path.")
			}
			return r.handle(c, v)
		}
		if v.account.ID == uuid.Nil && v.user.Operator && len(v.accounts) == 0 {
			return redirect(installationPath), nil
		}
		if v.account.ID == uuid.Nil {
			if a, ok := v.keep(Path + "/accounts"); ok {
				return a, nil
			}
			return redirect(Path + "/accounts"), nil
		}
		if !v.role.May(projections.Role(r.least)) {
			return http.Answer{}, http.Failure(nethttp.StatusForbidden, "error_forbidden",
				"In the account "+v.Called()+" you are a "+string(v.role)+". This takes a "+string(r.least)+".")
		}
		return r.handle(c, v)
	}
}

// toSignIn sends whoever is not signed in to where they can, and back from there.
func (c *Console) toSignIn(v *visit) (http.Answer, error) {
	r := v.x.Request()
	to := Path + "/sign-in"
	if r.URL.Path != Path && (r.Method == nethttp.MethodGet || r.Method == nethttp.MethodHead) {
		to += "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
	}
	if r.Header.Get("HX-Request") != "" { // of a part of a page, whose place a page to sign in would take
		return http.Answer{Status: nethttp.StatusNoContent, Header: map[string]string{"HX-Redirect": to}}, nil
	}
	return redirect(to), nil
}

// root leads to the console.
func (c *Console) root(*visit) (http.Answer, error) { return redirect(Path), nil }

// redirect sends a browser to another page, by GET.
func redirect(to string) http.Answer {
	return http.Answer{Status: nethttp.StatusSeeOther, Header: map[string]string{"Location": to}}
}
