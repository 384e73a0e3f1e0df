package main

import (
	"errors"
	"strconv"
	"strings"
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
