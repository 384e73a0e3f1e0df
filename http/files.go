package http

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	nethttp "net/http"
	"path"
	"strings"
)

// Files are files that pages load, by their names: style sheets, scripts, pictures. The address of
// each has a hash of its content, so that a browser may keep it for ever.
type Files struct {
	prefix string
	named  map[string]file
}

type file struct {
	hash         string
	body, packed []byte // packed is compressed
}

// fileTypes are the types of files by what their names end in.
var fileTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// NewFiles takes all files of a folder, which are a part of the program. They are answered by a
// route that ends in {hash}/{name} behind the prefix.
func NewFiles(prefix string, folder fs.FS) *Files {
	f := &Files{prefix, map[string]file{}}
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(folder, name)
		sum := sha256.Sum256(body)
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
		_, _ = w.Write(body)                                       // into memory
		_ = w.Close()
		f.named[path.Base(name)] = file{hex.EncodeToString(sum[:8]), body, packed.Bytes()}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("read the files of %s: %v", prefix, err)) // they are a part of the program
	}
	return f
}

// Path is the address of a file.
func (f *Files) Path(name string) (string, error) {
	file, ok := f.named[name]
	if !ok {
		return "", fmt.Errorf("there is no file %q", name)
	}
	return f.prefix + "/" + file.hash + "/" + name, nil
}

// Answer answers with the file that a path names.
func (f *Files) Answer(x *Exchange) (Answer, error) {
	hash, _ := x.Named("hash")
	name, _ := x.Named("name")
	file, ok := f.named[name]
	if !ok || file.hash != hash {
		return Answer{}, NotFound("There is no such file.")
	}
	a := Answer{
		Header: map[string]string{
			"Content-Type": fileTypes[path.Ext(name)], "Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding",
		},
		Body: file.body, Tag: `"` + hash + `"`,
	}
	if accepts(x.Request(), "gzip") {
		a.Header["Content-Encoding"] = "gzip"
		a.Body, a.Tag = file.packed, `"`+hash+`-gzip"`
	}
	return a, nil
}

// accepts tells whether a browser takes an encoding.
func accepts(r *nethttp.Request, encoding string) bool {
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(part) == encoding {
			return true
		}
	}
	return false
}
