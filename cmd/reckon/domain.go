package main

type domainCommands struct {
	Check   domainCheck   `cmd:"" help:"Check domain files, offline: syntax, dimensions, names, tests."`
	Test    domainTests   `cmd:"" help:"Run the tests of domain files, offline, or add one."`
	Draft   domainDraft   `cmd:"" help:"Keep domain files as drafts, which no caller sees."`
	Publish domainPublish `cmd:"" help:"Publish domain files."`
	Diff    domainDiff    `cmd:"" help:"Show which answers of the past a domain file would change."`
	Bisect  domainBisect  `cmd:"" help:"Find the published version that changed an answer."`
	List    domainList    `cmd:"" help:"List an account's domains."`
}
