package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"reckon/http/admin"
)

type loginCommand struct {
	URL  string `arg:"" name:"url" help:"Address of the server."`
	JSON bool   `help:"Print JSON."`
}

func (*loginCommand) Help() string {
	return `Asks for a token on standard input, without showing it, looks whose it is, and keeps it in a file that nobody else may read. Commands with --server and this address use it from then on; a token in the variable RECKON_TOKEN goes first.

A token is made by 'reckon token create EMAIL' on the server.

Examples:
  reckon login https://reckon.example.com
  reckon domain list --account acme --server https://reckon.example.com`
}

func (c *loginCommand) Run(t terminal) error {
	address, err := serverAddress(c.URL)
	if err != nil {
		return err
	}
	token, err := readSecret(t, "Token for "+address+": ")
	if err != nil {
		return err
	}
	me, err := fetch[admin.Me](administration{t, remoteClient(), address, token}, "me")
	if err != nil {
		return err
	}
	if err := keepTokens(func(kept map[string]string) { kept[address] = token }); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(t, me)
	}
	var parts []string
	for _, account := range me.Accounts {
		parts = append(parts, fmt.Sprintf("%s of %q", account.Role, account.Name))
	}
	if me.User.Operator {
		parts = append(parts, "an operator")
	}
	if parts == nil {
		parts = []string{"a member of no account"}
	}
	_, err = fmt.Fprintf(t.out, "You are %s at %s: %s.\n", me.User.Email, address, strings.Join(parts, ", "))
	return err
}

type logoutCommand struct {
	URL  string `arg:"" name:"url" help:"Address of the server."`
	JSON bool   `help:"Print JSON."`
}

func (*logoutCommand) Help() string {
	return "Forgets the token here. It holds until it is revoked: 'reckon token list' and 'reckon token revoke'.\n\nExample:\n  reckon logout https://reckon.example.com"
}

func (c *logoutCommand) Run(t terminal) error {
	address, err := serverAddress(c.URL)
	if err != nil {
		return err
	}
	known := false
	err = keepTokens(func(kept map[string]string) {
		_, known = kept[address]
		delete(kept, address)
	})
	if err != nil {
		return err
	}
	if !known {
		return fmt.Errorf("no token for %s is kept here", address)
	}
	if c.JSON {
		return printJSON(t, struct {
			Server string `json:"server"`
		}{address})
	}
	_, err = fmt.Fprintf(t.out, "The token for %s is forgotten here.\n", address)
	return err
}

// readSecret reads a line, which a terminal does not show.
func readSecret(t terminal, prompt string) (string, error) {
	var line string
	var err error
	if file, ok := t.in.(*os.File); ok && isTerminalFile(file) {
		fmt.Fprint(t.err, prompt)
		var typed []byte
		typed, err = term.ReadPassword(int(file.Fd()))
		fmt.Fprintln(t.err)
		line = string(typed)
	} else {
		line, err = bufio.NewReader(io.LimitReader(t.in, 4<<10)).ReadString('\n')
	}
	line = strings.TrimSpace(line)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return "", fmt.Errorf("read the token: %w", err)
	case !strings.HasPrefix(line, "reckon_token_") || strings.ContainsAny(line, " \t"):
		return "", errors.New("give a token, reckon_token_…, on standard input: 'reckon token create EMAIL' on the server makes one")
	}
	return line, nil
}

// tokenVariable holds a token. It is no flag, since others may see the flags of a process.
const tokenVariable = "RECKON_TOKEN"

// tokenFor is the token for a server.
func tokenFor(address string) (string, error) {
	if token := os.Getenv(tokenVariable); token != "" {
		return token, nil
	}
	kept, err := keptTokens()
	if err != nil {
		return "", err
	}
	if token := kept[address]; token != "" {
		return token, nil
	}
	return "", fmt.Errorf("there is no token for %s: get one with 'reckon login %s', or set %s", address, quoted(address), tokenVariable)
}

// tokensFile is where the tokens of the user are kept, by server.
func tokensFile() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the folder for tokens: %w (or set %s)", err, tokenVariable)
	}
	return filepath.Join(folder, "reckon", "tokens.json"), nil
}

func keptTokens() (map[string]string, error) {
	name, err := tokensFile()
	if err != nil {
		return nil, err
	}
	kept := map[string]string{}
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return kept, nil
	case err != nil:
		return nil, fmt.Errorf("read the tokens that are kept: %w", err)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("others may read %s: make it yours alone with 'chmod 600 %s', and revoke the tokens in it", name, quoted(name))
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("%s is not a file of tokens: remove it, and log in again", name)
	}
	return kept, nil
}

// keepTokens changes the tokens that are kept, all at once.
func keepTokens(change func(map[string]string)) error {
	kept, err := keptTokens()
	if err != nil {
		return err
	}
	change(kept)
	name, err := tokensFile()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(kept, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(name), 0o700)
	}
	if err == nil {
		err = replaceWhole(name, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep the token: %w", err)
	}
	return nil
}

// replaceWhole gives a file another text, all at once, which its owner alone may read.
func replaceWhole(name string, text []byte) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
