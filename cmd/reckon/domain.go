package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"reckon/commands"
	"reckon/events"
	"reckon/projections"
)

type domainCommands struct {
	New      domainNew      `cmd:"" help:"Begin a domain file: from a template, a starter domain, or questions in the terminal."`
	Import   domainImport   `cmd:"" help:"Make a domain file of a spreadsheet (.xlsx) or a table (.csv)."`
	Check    domainCheck    `cmd:"" help:"Check domain files, offline: syntax, dimensions, names, tests."`
	Test     domainTests    `cmd:"" help:"Run the tests of domain files, offline, or add one."`
	Watch    domainWatch    `cmd:"" help:"Check domain files and run their tests at each save."`
	Fmt      domainFmt      `cmd:"" help:"Write domain files evenly; comments stay."`
	Show     domainShow     `cmd:"" help:"Show what a domain takes and gives, and which way its equations go."`
	Graph    domainGraph    `cmd:"" help:"Draw how the variables of a domain depend on each other, as text or SVG."`
	Docs     domainDocs     `cmd:"" help:"Write a page about each domain, in Markdown or HTML."`
	Schema   domainSchema   `cmd:"" help:"Print the JSON Schema of domain files."`
	Draft    draftCommands  `cmd:"" help:"Keep domain files as drafts, which no caller sees; show and discard them."`
	Publish  domainPublish  `cmd:"" help:"Publish domain files."`
	Diff     domainDiff     `cmd:"" help:"Show which answers of the past a domain file would change, or what versions changed in the text."`
	Bisect   domainBisect   `cmd:"" help:"Find the published version that changed an answer."`
	List     domainList     `cmd:"" help:"List an account's domains."`
	Versions domainVersions `cmd:"" help:"List the published versions of a domain."`
	Retire   domainRetire   `cmd:"" help:"Take a domain out of lists and out of use; its conversations stay readable."`
	Restore  domainRestore  `cmd:"" help:"Take a retired domain into use again, or an earlier version of one."`
	Export   domainExport   `cmd:"" help:"Print a published domain as a domain file."`
}

// findDomain finds a domain of an account by its dm_ key, its id or its title. The error lists what
// there is.
func findDomain(t terminal, a commands.Admin, account, name string) (projections.Domain, error) {
	owner, err := a.Account(t, account)
	if err != nil {
		return projections.Domain{}, err
	}
	domains, err := a.Domains(t, owner.ID)
	if err != nil {
		return projections.Domain{}, err
	}
	var titles []string
	for _, d := range domains {
		if d.Key == name || d.ID.String() == name || strings.EqualFold(commands.Title(d), name) {
			return d, nil
		}
		titles = append(titles, fmt.Sprintf("%q", inLine(commands.Title(d))))
	}
	hint := "it has none yet"
	if len(titles) > 0 {
		hint = "it has " + strings.Join(titles[:min(len(titles), 10)], ", ")
	}
	return projections.Domain{}, fmt.Errorf("account %q has no domain with the title, key or id %q: %s", account, name, hint)
}

// publications are the published versions of a domain, oldest first.
func publications(t terminal, a commands.Admin, d projections.Domain) ([]events.Event, error) {
	list, err := a.Versions(t, d)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%q is not published yet, it is a draft", commands.Title(d))
	}
	return list, err
}

// publishedVersion finds a published version, the newest for 0.
func publishedVersion(published []events.Event, number int) (*events.DomainPublished, error) {
	newest := published[len(published)-1].Data.(*events.DomainPublished)
	if number == 0 {
		return newest, nil
	}
	for _, e := range published {
		if data := e.Data.(*events.DomainPublished); data.Version == number {
			return data, nil
		}
	}
	return nil, fmt.Errorf("there is no version %d: the newest is %d", number, newest.Version)
}

// parseVersions reads "3..5" or "3", which goes to the newest.
func parseVersions(text string) (from, to int, err error) {
	first, last, two := strings.Cut(text, "..")
	if from, err = strconv.Atoi(first); err == nil && two {
		to, err = strconv.Atoi(last)
	}
	if err != nil || from < 1 || two && to < 1 {
		return 0, 0, errors.New("--versions " + text + ": give two versions such as 3..5, or one to compare with the newest")
	}
	return from, to, nil
}
