package admin

import "reckon/http"

// route is one line of the interface.
type route struct {
	method string
	path   string // behind the prefix
	least  least
	handle func(*request) (http.Answer, error)
}

// routes is the whole interface. HEAD is answered wherever GET is. {account} is a name, an id, or -
// for that of what the path names further on.
var routes = []route{
	{"GET", "me", anybody, (*request).me},
	{"GET", "tokens", anybody, ofSelf((*request).tokens)},
	{"POST", "tokens", anybody, ofSelf((*request).createToken)},
	{"POST", "tokens/{token}/revoke", anybody, ofSelf((*request).revokeToken)},

	{"GET", "accounts", anybody, (*request).accounts},
	{"POST", "accounts", operator, (*request).createAccount},
	{"GET", "accounts/{account}", memberOrOperator, (*request).showAccount},
	{"PATCH", "accounts/{account}", ownerOrOperator, (*request).changeAccount},
	{"POST", "accounts/{account}/suspend", operator, (*request).suspendAccount},
	{"POST", "accounts/{account}/resume", operator, (*request).resumeAccount},
	{"POST", "accounts/{account}/erase", ownerOrOperator, (*request).eraseAccount},
	{"GET", "accounts/{account}/export", owner, (*request).export},
	{"GET", "accounts/{account}/audit", ownerOrOperator, (*request).audit},
	{"GET", "accounts/{account}/members", memberOrOperator, (*request).members},
	{"POST", "accounts/{account}/members", ownerOrOperator, (*request).addMember},
	{"PATCH", "accounts/{account}/members/{user}", ownerOrOperator, (*request).changeMember},
	{"DELETE", "accounts/{account}/members/{user}", ownerOrOperator, (*request).removeMember},
	{"POST", "accounts/{account}/invitations", ownerOrOperator, (*request).invite},
	{"GET", "accounts/{account}/keys", member, (*request).keys},
	{"POST", "accounts/{account}/keys", developer, (*request).createKey},
	{"POST", "accounts/{account}/keys/{key}/rotate", developer, (*request).rotateKey},
	{"POST", "accounts/{account}/keys/{key}/revoke", developer, (*request).revokeKey},
	{"GET", "accounts/{account}/webhooks", developer, (*request).webhooks},
	{"POST", "accounts/{account}/webhooks", developer, (*request).createWebhook},
	{"GET", "accounts/{account}/webhooks/{webhook}", developer, (*request).showWebhook},
	{"PATCH", "accounts/{account}/webhooks/{webhook}", developer, (*request).changeWebhook},
	{"DELETE", "accounts/{account}/webhooks/{webhook}", developer, (*request).deleteWebhook},
	{"POST", "accounts/{account}/webhooks/{webhook}/roll", developer, (*request).rollWebhook},
	{"POST", "accounts/{account}/webhooks/{webhook}/disable", developer, (*request).disableWebhook},
	{"POST", "accounts/{account}/webhooks/{webhook}/enable", developer, (*request).enableWebhook},
	{"POST", "accounts/{account}/webhooks/{webhook}/test", developer, (*request).testWebhook},
	{"GET", "accounts/{account}/webhooks/{webhook}/deliveries", developer, (*request).deliveries},
	{"POST", "accounts/{account}/webhooks/{webhook}/deliveries/{delivery}/resend", developer, (*request).resend},
	{"GET", "accounts/{account}/usage", developerOrOperator, (*request).usage},
	{"GET", "accounts/{account}/unanswered", developer, (*request).unanswered},
	{"GET", "accounts/{account}/domains", member, (*request).domains},

	{"POST", "accounts/{account}/domains/check", reading(developer), (*request).checkFile},
	{"POST", "accounts/{account}/domains/diff", reading(developer), (*request).diffFile},
	{"POST", "accounts/{account}/domains/draft", developer, (*request).draftFile},
	{"POST", "accounts/{account}/domains/publish", developer, (*request).publishFile},
	{"GET", "accounts/{account}/domains/{domain}/draft", member, (*request).draft},
	{"PUT", "accounts/{account}/domains/{domain}/draft", developer, (*request).draftFile},
	{"DELETE", "accounts/{account}/domains/{domain}/draft", developer, (*request).discardDraft},
	{"POST", "accounts/{account}/domains/{domain}/publish", developer, (*request).publishAgain},
	{"GET", "accounts/{account}/domains/{domain}/versions", member, (*request).versions},
	{"GET", "accounts/{account}/domains/{domain}/versions/{version}", member, (*request).version},
	{"POST", "accounts/{account}/domains/{domain}/versions/{version}/restore", developer, (*request).publishAgain},
	{"GET", "accounts/{account}/domains/{domain}/diff", member, (*request).diffVersions},
	{"GET", "accounts/{account}/domains/{domain}", member, (*request).showDomain},
	{"POST", "accounts/{account}/domains/{domain}/retire", developer, (*request).retireDomain},
	{"POST", "accounts/{account}/domains/{domain}/restore", developer, (*request).restoreDomain},

	{"GET", "accounts/{account}/conversations", member, (*request).conversations},
	{"PATCH", "accounts/{account}/conversations/{conversation}", member, (*request).describe},
	{"POST", "accounts/{account}/conversations/{conversation}/erase", owner, (*request).erase},
	{"GET", "accounts/{account}/conversations/{conversation}/history", member, (*request).conversationHistory},
	{"POST", "accounts/{account}/conversations/{conversation}/replay", reading(member), (*request).replay},
	{"GET", "accounts/{account}/messages/{message}/bisect", member, (*request).bisect},
	{"GET", "accounts/{account}/messages/{message}/test", member, (*request).testOf},
	{"POST", "accounts/{account}/replay", reading(member), (*request).replay},

	{"GET", "users", operator, (*request).users},
	{"POST", "users", operator, (*request).createUser},
	{"GET", "users/{user}", anybody, (*request).showUser},
	{"POST", "users/{user}/disable", operator, (*request).disableUser},
	{"POST", "users/{user}/enable", operator, (*request).enableUser},
	{"GET", "users/{user}/sessions", anybody, (*request).sessions},
	{"GET", "users/{user}/passkeys", anybody, ofUser((*request).passkeys)},
	{"DELETE", "users/{user}/passkeys/{passkey}", anybody, ofUser((*request).removePasskey)},
	{"POST", "users/{user}/sign-out", anybody, (*request).signOut},
	{"GET", "users/{user}/tokens", anybody, ofUser((*request).tokens)},
	{"POST", "users/{user}/tokens", anybody, ofUser((*request).createToken)},
	{"POST", "users/{user}/tokens/{token}/revoke", anybody, ofUser((*request).revokeToken)},
	{"POST", "invitations", operator, (*request).invite},
	{"GET", "operators", operator, (*request).operators},
	{"PUT", "operators/{user}", operator, (*request).addOperator},
	{"DELETE", "operators/{user}", operator, (*request).removeOperator},
	{"GET", "audit", operator, (*request).audit},
	{"GET", "nodes", operator, (*request).nodes},
	{"GET", "backup", operator, (*request).backup},
	{"POST", "replay", reading(operator), (*request).replay},
	{"POST", "projections/verify", reading(operator), (*request).verify},
	{"POST", "projections/rebuild", operator, (*request).rebuild},
}
