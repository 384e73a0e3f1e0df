package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	nethttp "net/http"
	"path"
	"strings"

	"reckon/http"
)

//go:embed assets
var embedded embed.FS

// asset is a file that pages load.
type asset struct {
	hash         string // of the content; it is in the address, so that what is cached is never old
	body, packed []byte // packed is compressed
}

// assets are the files by name.
type assets map[string]asset

// assetTypes are the types of assets by what their names end in.
var assetTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func newAssets() assets {
	a := assets{}
	files, err := fs.Glob(embedded, "assets/*")
	for _, file := range files {
		var body []byte
		if err == nil {
			body, err = embedded.ReadFile(file)
		}
		sum := sha256.Sum256(body)
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that there is
		_, _ = w.Write(body)                                       // into memory
		_ = w.Close()
		a[path.Base(file)] = asset{hex.EncodeToString(sum[:8]), body, packed.Bytes()}
	}
	if err != nil {
		panic(fmt.Sprintf("read the assets of the console: %v", err)) // they are a part of the program
	}
	return a
}

// path is the address of an asset.
func (a assets) path(name string) (string, error) {
	file, ok := a[name]
	if !ok {
		return "", fmt.Errorf("there is no asset %q", name)
	}
	return Path + "/assets/" + file.hash + "/" + name, nil
}

// asset answers with a file, which a browser may keep for ever.
func (c *Console) asset(v *visit) (http.Answer, error) {
	hash, _ := v.x.Named("hash")
	name, _ := v.x.Named("name")
	file, ok := c.assets[name]
	if !ok || file.hash != hash {
		return http.Answer{}, http.NotFound("There is no such file.")
	}
	a := http.Answer{
		Header: map[string]string{
			"Content-Type": assetTypes[path.Ext(name)], "Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding",
		},
		Body: file.body, Tag: `"` + hash + `"`,
	}
	if accepts(v.x.Request(), "gzip") {
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
