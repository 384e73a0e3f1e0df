package commands

import (
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// commonest are the passwords of ten characters and more among the 30,000 that leaked lists have
// most often, as zxcvbn 4.4.2 counts them, in lower case and sorted.
//
//go:embed passwords.txt
var commonest string

// Bounds of a password, in characters.
const (
	MinPassword = 10
	MaxPassword = 256

	maxPasswordBytes = utf8.UTFMax * MaxPassword
)

// ErrPassword says that a password may not be set; the error that wraps it says why.
var ErrPassword = errors.New("choose another password")

// parameters of Argon2id, which stand in each hash.
type parameters struct {
	memory  uint32 // KiB
	passes  uint32
	threads uint8
}

// today is what new hashes cost: the least that OWASP's cheat sheet on storing passwords
// gives, since a node may have 128 MiB.
var today = parameters{memory: 19 << 10, passes: 2, threads: 1}

const (
	saltLength = 16
	hashLength = 32
)

// normal is the form in which a password is hashed: the same characters are the same bytes,
// whichever keyboard they come from.
func normal(password string) string { return norm.NFC.String(password) }

// checkPassword says why a password may not be that of a user. It takes no longer for a password
// that is too long.
func checkPassword(password, email string) error {
	if len(password) > maxPasswordBytes {
		return fmt.Errorf("%w: it has more than %d characters", ErrPassword, MaxPassword)
	}
	local, _, _ := strings.Cut(email, "@")
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return fmt.Errorf("%w: it is not in UTF-8", ErrPassword)
	case n < MinPassword:
		return fmt.Errorf("%w: it has fewer than %d characters", ErrPassword, MinPassword)
	case n > MaxPassword:
		return fmt.Errorf("%w: it has more than %d characters", ErrPassword, MaxPassword)
	case strings.EqualFold(password, email), strings.EqualFold(password, local):
		return fmt.Errorf("%w: it is the e-mail address", ErrPassword)
	case isCommon(password):
		return fmt.Errorf("%w: it is one of the commonest, which are tried first", ErrPassword)
	}
	return nil
}

// isCommon tells whether a password is among the commonest, or made of three characters at most.
func isCommon(password string) bool {
	lower := strings.ToLower(password)
	if slices.Contains(strings.Fields(commonest), lower) {
		return true
	}
	characters := map[rune]bool{}
	for _, c := range lower {
		characters[c] = true
	}
	return len(characters) < 4
}

// keep makes a new hash of a password, in the form of Argon2's own program.
func (p parameters) keep(password string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	sum := p.hash(password, salt, hashLength)
	text := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.passes, p.threads, text(salt), text(sum))
}

func (p parameters) hash(password string, salt []byte, length int) []byte {
	return argon2.IDKey([]byte(normal(password)), salt, p.passes, p.memory, p.threads, uint32(length))
}

// parsePassword takes a hash apart.
func parsePassword(hash string) (p parameters, salt, sum []byte, err error) {
	part := strings.Split(hash, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, nil, nil, errors.New("a password's hash is of another kind")
	}
	_, err = fmt.Sscanf(part[3], "m=%d,t=%d,p=%d", &p.memory, &p.passes, &p.threads)
	if err == nil {
		salt, err = base64.RawStdEncoding.DecodeString(part[4])
	}
	if err == nil {
		sum, err = base64.RawStdEncoding.DecodeString(part[5])
	}
	if err == nil && (p.memory > 1<<20 || p.passes < 1 || p.passes > 100 || p.threads < 1 || len(sum) < 16 || len(sum) > 64) {
		err = errors.New("it is out of bounds")
	}
	if err != nil {
		return p, nil, nil, fmt.Errorf("read a password's hash: %w", err)
	}
	return p, salt, sum, nil
}

// matches tells whether a password has a hash, whichever parameters that has. A hash of "" is
// nobody's, and takes as long as one with these.
func (p parameters) matches(password, hash string) (bool, error) {
	if hash == "" {
		p.hash(password, make([]byte, saltLength), hashLength)
		return false, nil
	}
	of, salt, sum, err := parsePassword(hash)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(of.hash(password, salt, len(sum)), sum) == 1, nil
}
