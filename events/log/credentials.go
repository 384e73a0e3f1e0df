package log

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// credentials reach the log's server from another process of the same user. They are new at each
// start.
type credentials struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"`
	Cluster  string `json:"cluster,omitempty"` // that the server is a node of
	Views    string `json:"views,omitempty"`   // see Log.ViewsID; with a NATS that runs by itself, of which the rest says nothing
	reader   string // password of the user that reads events and does nothing else, where the server has one
	own      string // password of the process itself, which it tells nobody
	Commit   string `json:"commit,omitempty"` // subject where the process is asked to sync what it has acknowledged
}

func newCredentials() credentials {
	return credentials{User: "reckon-" + rand.Text(), Password: rand.Text(), reader: rand.Text(), own: rand.Text()}
}

func credentialsPath(dir string) string       { return filepath.Join(dir, "nats.json") }
func readerCredentialsPath(dir string) string { return filepath.Join(dir, "nats-reader.json") }

// write leaves the credentials in the data directory, those of the reader in a file of their own.
func (c credentials) write(dir string) error {
	if c.reader != "" {
		if err := (credentials{URL: c.URL, User: readerName, Password: c.reader, Commit: c.Commit}).writeTo(readerCredentialsPath(dir)); err != nil {
			return err
		}
	}
	return c.writeTo(credentialsPath(dir))
}

// writeTo writes a file that is readable by its owner only. Nobody ever sees half of it.
func (c credentials) writeTo(path string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	if err := replaceFile(path, string(text)); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	return nil
}

// readCredentials fails with an error that is fs.ErrNotExist when no server of the directory
// listens.
func readCredentials(dir string) (credentials, error) {
	text, err := os.ReadFile(credentialsPath(dir))
	if err != nil {
		return credentials{}, fmt.Errorf("read credentials: %w", err)
	}
	var c credentials
	if err := json.Unmarshal(text, &c); err != nil {
		return credentials{}, fmt.Errorf("read credentials: %w", err)
	}
	return c, nil
}

// removeCredentials removes what a server left, also one that was killed.
func removeCredentials(dir string) error {
	for _, path := range []string{credentialsPath(dir), readerCredentialsPath(dir)} {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove credentials: %w", err)
		}
	}
	return nil
}
