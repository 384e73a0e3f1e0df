package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reckon/commands"
	"reckon/commands/domainfile"
	"reckon/events"
	"reckon/projections"
)

//go:embed starter/*.yaml
var starter embed.FS

// devAccount is the account that --dev makes.
const devAccount = "dev"

// dev is what --dev has prepared.
type dev struct {
	secret  string // "" when the account has keys of which this directory does not know the secret
	domains []projections.Domain
}

// prepareDev adds what is missing: the account, a key, and each starter domain whose title the
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
	files, err := starterFiles()
	if err != nil {
		return d, err
	}
	for _, f := range files {
		if slices.ContainsFunc(domains, func(d projections.Domain) bool { return strings.EqualFold(commands.Title(d), f.Definition.Title) }) {
			continue
		}
		if _, err := a.Publish(t, commands.Publication{Account: devAccount, Definition: f.Definition}); err != nil {
			return d, fmt.Errorf("publish %s: %w", f.Name, err)
		}
	}
	d.domains, err = a.Domains(t, account.ID)
	return d, err
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
	_, secret, err := a.CreateKey(t, devAccount)
	if err != nil {
		return "", err
	}
	_ = os.Remove(file) // what is there is not an active key
	if err := writeNew(file, []byte(secret+"\n")); err != nil {
		return "", fmt.Errorf("keep the key of account %q: %w", devAccount, err)
	}
	return secret, nil
}

// starterFiles reads the domains that come with the program.
func starterFiles() ([]*domainfile.File, error) {
	names, err := fs.Glob(starter, "starter/*.yaml")
	if err != nil {
		return nil, err
	}
	var files []*domainfile.File
	for _, name := range names {
		data, err := starter.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, domainfile.Parse(name, data))
	}
	return files, nil
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
