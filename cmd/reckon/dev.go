package main

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/http/console"
	"reckon/projections"
)

//go:embed starter/*/*.yaml starter/*/*.csv
var starter embed.FS

// devDomains are the starter domains that --dev publishes, one or two of each field; a first
// question is asked of the first.
var devDomains = []string{"electricity", "loan", "sales", "body", "freight", "motion"}

// devAccount is the account that --dev makes.
const devAccount = "dev"

// dev is what --dev has prepared.
type dev struct {
	secret  string // "" when the account has keys of which this directory does not know the secret
	domains []projections.Domain
}

// prepareDev adds what is missing: the account, a key, and each of devDomains whose title the
// account does not have. The key's secret is left in the data directory, readable by its owner
// alone, so that a later start can print it again.
func prepareDev(t terminal, a commands.Admin, dir string) (dev, error) {
	var d dev
	account, err := a.CreateAccount(t, commands.CreateAccount{Name: devAccount})
	if errors.Is(err, commands.ErrExists) {
		account, err = a.Account(t, devAccount)
	}
	if err != nil {
		return d, err
	}
	if d.secret, err = devKey(t, a, account, filepath.Join(dir, "dev-key")); err != nil {
		return d, err
	}
	domains, err := a.Domains(t, account.ID)
	if err != nil {
		return d, err
	}
	var titles []string
	for _, name := range devDomains {
		f, _, err := starterDomain(name)
		if err != nil {
			return d, err
		}
		titles = append(titles, f.Definition.Title)
		if slices.ContainsFunc(domains, func(d projections.Domain) bool { return strings.EqualFold(commands.Title(d), f.Definition.Title) }) {
			continue
		}
		if _, err := a.Publish(t, commands.Publication{Account: devAccount, Definition: f.Definition, New: true}); err != nil {
			return d, fmt.Errorf("publish %s: %w", f.Name, err)
		}
	}
	d.domains, err = a.Domains(t, account.ID)
	place := func(d projections.Domain) uint { // that of none is behind all others
		return uint(slices.IndexFunc(titles, func(title string) bool { return strings.EqualFold(title, commands.Title(d)) }))
	}
	slices.SortStableFunc(d.domains, func(a, b projections.Domain) int { return cmp.Compare(place(a), place(b)) })
	return d, err
}

// active lists the keys of an account that are not revoked.
func active(account projections.Account) []projections.Key {
	var keys []projections.Key
	for _, key := range account.Keys {
		if !key.Revoked {
			keys = append(keys, key)
		}
	}
	return keys
}

func devKey(t terminal, a commands.Admin, account projections.Account, file string) (string, error) {
	if data, err := os.ReadFile(file); err == nil {
		secret := strings.TrimSpace(string(data))
		sum := sha256.Sum256([]byte(secret))
		for _, key := range active(account) {
			if key.Hash == hex.EncodeToString(sum[:]) {
				return secret, nil
			}
		}
	}
	if len(active(account)) > 0 {
		return "", nil
	}
	_, secret, err := a.CreateKey(t, devAccount, commands.KeyTerms{Name: "dev"})
	if err != nil {
		return "", err
	}
	_ = os.Remove(file) // what is there is not an active key
	if err := writeNew(file, []byte(secret+"\n")); err != nil {
		return "", fmt.Errorf("keep the key of account %q: %w", devAccount, err)
	}
	return secret, nil
}

// starters are the names of the starter domains, field by field.
func starters() (names []string) {
	files, _ := fs.Glob(starter, "starter/*/*.yaml") // the pattern is right
	for _, name := range files {
		names = append(names, strings.TrimSuffix(path.Base(name), ".yaml"))
	}
	return names
}

// starterDomain reads a starter domain, and the folder of its field with the files beside it.
func starterDomain(name string) (*domainfile.File, fs.FS, error) {
	files, err := fs.Glob(starter, "starter/*/"+name+".yaml")
	if err != nil || len(files) != 1 {
		return nil, nil, fmt.Errorf("there is no starter domain %q: there are %s", name, strings.Join(starters(), ", "))
	}
	text, err := starter.ReadFile(files[0])
	if err != nil {
		return nil, nil, fmt.Errorf("read the starter domain %s: %w", name, err)
	}
	folder, err := fs.Sub(starter, path.Dir(files[0]))
	if err != nil {
		return nil, nil, fmt.Errorf("read the starter domain %s: %w", name, err)
	}
	return domainfile.ParseBeside(folder, name+".yaml", text), folder, nil
}

// begun are the texts that the editor of the console begins a domain as: the template, and the
// starter domains. Those that take tables from other files have them written in.
func begun() []console.Starter {
	list := []console.Starter{{Name: "template", Title: "The template", Description: "A small domain with comments, to change.", Text: newTemplate}}
	for _, name := range starters() {
		f, _, err := starterDomain(name)
		if err != nil {
			continue // a test reads each of them
		}
		text := f.Bytes()
		if len(f.Beside()) > 0 {
			if text, err = domainfile.Text("", f.Definition); err != nil {
				continue
			}
		}
		list = append(list, console.Starter{Name: name, Title: f.Definition.Title, Description: f.Definition.Description, Text: string(text)})
	}
	return list
}

// print says what there is, and how to ask a first question.
func (d dev) print(t terminal, url string) {
	fmt.Fprintf(t.out, "Reckon %s is ready on %s\n\nDomains of account %q:\n", version(), url, devAccount)
	for _, domain := range d.domains {
		if domain.Published != nil {
			fmt.Fprintf(t.out, "  %s  %s\n", domain.ID, inLine(domain.Published.Title))
		}
	}
	if d.secret == "" {
		fmt.Fprintf(t.out, "\nThe account's keys are kept as hashes. For a new one: reckon key create --account %s\n", devAccount)
		return
	}
	fmt.Fprintf(t.out, "\nAPI key:\n  %s\n", d.secret)
	for _, domain := range d.domains {
		if domain.Published == nil {
			continue
		}
		question := slices.IndexFunc(domain.Published.Tests, func(t events.Test) bool { return len(t.After) == 0 && len(t.Errors) == 0 })
		if question < 0 {
			continue
		}
		body := struct {
			DomainID string `json:"domain_id"`
			Prompt   string `json:"prompt"`
		}{domain.ID.String(), strings.TrimSpace(domain.Published.Tests[question].Prompt)}
		data, err := json.Marshal(body)
		if err != nil {
			continue
		}
		fmt.Fprintf(t.out, "\nAsk %q a question:\n\ncurl -s %s/v1/calculate -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d %s\n",
			domain.Published.Title, url, d.secret, quoted(string(data)))
		return
	}
}

// devUser is who the link of --dev lets in, as an owner of its account and as an operator.
const devUser = "dev@localhost"

// inviteDev prints a link that lets in, on the last line. The link is left in the data directory,
// readable by its owner alone, so that a later start can print it again until it was used.
func inviteDev(t terminal, a commands.Admin, dir string, public *url.URL) error {
	secret, err := devLink(t, a, filepath.Join(dir, "dev-link"))
	if err != nil {
		fmt.Fprintf(t.out, "\nThe console is at %s. Nobody is invited to it: %v\n", public.JoinPath(console.Path), err)
		return nil
	}
	fmt.Fprintf(t.out, "\nCome in to the console by this link, once, within 24 hours:\n%s\n", commands.LinkURL(public, secret))
	return nil
}

func devLink(t terminal, a commands.Admin, file string) (string, error) {
	account, err := a.Account(t, devAccount)
	if err != nil {
		return "", err
	}
	c := commands.Invite{Email: devUser, Account: devAccount, Operator: true}
	if _, is := account.Role(commands.UserID(devUser)); !is {
		c.Role = projections.RoleOwner
	} else if data, err := os.ReadFile(file); err == nil {
		secret := strings.TrimSpace(string(data))
		if holds, err := a.LinkHolds(t, devUser, secret); err != nil || holds {
			return secret, err
		}
	}
	invitation, err := a.Invite(t, c)
	if err != nil {
		return "", err
	}
	_ = os.Remove(file) // what is there lets nobody in
	if err := writeNew(file, []byte(invitation.Secret+"\n")); err != nil {
		return "", fmt.Errorf("keep the link of %s: %w", devUser, err)
	}
	return invitation.Secret, nil
}
