package natsfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats-server/v2/server"
)

// The settings of a stream stand in a file beside its blocks, as JSON, and its checksum in another
// one: the HighwayHash-64, in hex, with the SHA-256 of the stream's name as key. A server passes
// over a stream whose settings are not what the checksum says, as if there were none.

const replaced = ".new" // behind the name of a file that is to take the place of another one

// metaOf is where a server with a store directory keeps the settings of a stream.
func metaOf(storeDir, stream string) string {
	return filepath.Join(filepath.Dir(MessagesOf(storeDir, stream)), server.JetStreamMetaFile)
}

func sumOf(storeDir, stream string) string {
	return filepath.Join(filepath.Dir(MessagesOf(storeDir, stream)), server.JetStreamMetaFileSum)
}

// metaSum is the checksum that belongs to settings.
func metaSum(stream string, text []byte) ([]byte, error) {
	key := sha256.Sum256([]byte(stream))
	hash, err := highwayhash.NewDigest64(key[:])
	if err != nil {
		return nil, err
	}
	hash.Write(text)
	return hex.AppendEncode(nil, hash.Sum(nil)), nil
}

// readSettings reads the settings of a stream of a server that does not run. damage is why they are
// not what was written, nil for a stream that is whole, and for none, which has no text either.
func readSettings(storeDir, stream string) (text []byte, damage *Damage, err error) {
	path := metaOf(storeDir, stream)
	text, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		numbers, err := blocksOf(storeDir, stream).numbers()
		if len(numbers) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
			return nil, nil, nil
		}
		return nil, &Damage{Stream: stream, File: path, Reason: "the file is missing"}, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the settings of stream %s: %w", stream, err)
	}
	want, err := metaSum(stream, text)
	if err != nil {
		return nil, nil, err
	}
	sum, err := os.ReadFile(sumOf(storeDir, stream))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		damage = &Damage{Stream: stream, File: sumOf(storeDir, stream), Reason: "the file is missing"}
	case err != nil:
		return nil, nil, fmt.Errorf("read the settings of stream %s: %w", stream, err)
	case !bytes.Equal(sum, want):
		damage = &Damage{Stream: stream, File: path, Reason: "the settings of the stream are not what their checksum, in " + server.JetStreamMetaFileSum + ", says"}
	}
	return text, damage, nil
}

// CheckSettings says what is not whole of the settings of a stream, nil for nothing.
func CheckSettings(storeDir, stream string) (*Damage, error) {
	_, damage, err := readSettings(storeDir, stream)
	return damage, err
}

// SettleSettings finishes what was interrupted as the settings of a stream were changed, by a
// server or by this package. Settings without their checksum are taken where right says that they
// are as they are to be, to the letter.
func SettleSettings(storeDir, stream string, right func(settings []byte) bool) error {
	text, damage, err := readSettings(storeDir, stream)
	if err != nil || damage == nil || text == nil {
		return err
	}
	sum, err := metaSum(stream, text)
	next, _ := os.ReadFile(sumOf(storeDir, stream) + replaced)
	if err == nil && (bytes.Equal(next, sum) || written(text) && right(text)) {
		err = replace(sumOf(storeDir, stream), sum)
	}
	if err != nil {
		return fmt.Errorf("change the settings of stream %s: %w", stream, err)
	}
	return nil
}

// written tells whether settings may have been written so, letter by letter.
func written(text []byte) bool {
	info, err := infoOf(text)
	if err != nil {
		return false
	}
	again, err := json.Marshal(info)
	return err == nil && bytes.Equal(again, text)
}

// AllowDeleting takes back, of a stream of a server that does not run, that nothing may be deleted
// from it, which a server that runs refuses. It tells whether that was so. After an interruption
// SettleSettings goes on.
func AllowDeleting(storeDir, stream string) (was bool, err error) {
	text, damage, err := readSettings(storeDir, stream)
	if err != nil || damage != nil || text == nil {
		return false, err
	}
	info, err := infoOf(text)
	if err == nil && !info.DenyDelete && !info.DenyPurge {
		return false, nil
	}
	if err == nil {
		info.DenyDelete, info.DenyPurge = false, false
		err = writeSettings(storeDir, info)
	}
	if err != nil {
		return false, fmt.Errorf("change the settings of stream %s: %w", stream, err)
	}
	return true, nil
}

// WriteSettings gives a stream of a server that does not run settings, as the API has them.
func WriteSettings(storeDir string, text []byte) error {
	info, err := infoOf(text)
	if err == nil {
		info.Created = time.Now().UTC()
		err = writeSettings(storeDir, info)
	}
	if err != nil {
		return fmt.Errorf("write the settings of stream %s: %w", info.Name, err)
	}
	return nil
}

func infoOf(text []byte) (info server.FileStreamInfo, err error) {
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	return info, strict.Decode(&info)
}

// writeSettings replaces the settings of a stream. Their checksum is on disk under another name
// before they are.
func writeSettings(storeDir string, info server.FileStreamInfo) error {
	text, err := json.Marshal(info)
	if err != nil {
		return err
	}
	sum, err := metaSum(info.Name, text)
	if err == nil {
		err = prepare(sumOf(storeDir, info.Name), sum)
	}
	if err == nil {
		err = replace(metaOf(storeDir, info.Name), text)
	}
	if err == nil {
		err = replace(sumOf(storeDir, info.Name), sum)
	}
	return err
}

// prepare has a text on disk that is to be a file's.
func prepare(path string, text []byte) error {
	err := os.WriteFile(path+replaced, text, 0o600)
	if err == nil {
		err = SyncPath(path + replaced)
	}
	if err == nil {
		err = SyncPath(filepath.Dir(path))
	}
	return err
}

// replace makes a text what a file holds. It is on disk when replace returns; before, the file is
// as it was.
func replace(path string, text []byte) error {
	err := prepare(path, text)
	if err == nil {
		err = os.Rename(path+replaced, path)
	}
	if err == nil {
		err = SyncPath(filepath.Dir(path))
	}
	return err
}
