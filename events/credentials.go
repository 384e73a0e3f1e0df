package events

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// credentials reach the log's server from another process of the same user. They are new at each start.
type credentials struct {
	URL      string `json:"url"`
	User     string `json:"user"`
	Password string `json:"password"`
	Cluster  string `json:"cluster,omitempty"` // that the server is a node of
}

func newCredentials() credentials {
	return credentials{User: "reckon-" + rand.Text(), Password: rand.Text()}
}

func credentialsPath(dir string) string { return filepath.Join(dir, "nats.json") }

// write leaves the credentials in the data directory, readable by its owner only. A reader never sees half a file.
func (c credentials) write(dir string) error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	temporary := credentialsPath(dir) + ".new"
	if err := os.Remove(temporary); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("write credentials: %w", err)
	}
	if err := os.WriteFile(temporary, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	if err := os.Rename(temporary, credentialsPath(dir)); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	return nil
}

// readCredentials fails with an error that is fs.ErrNotExist when no server of the directory listens.
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
	if err := os.Remove(credentialsPath(dir)); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("remove credentials: %w", err)
	}
	return nil
}
