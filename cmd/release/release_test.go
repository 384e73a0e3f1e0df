package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

var made = time.Date(2026, 3, 5, 14, 7, 9, 0, time.UTC)

// image writes an image whose program is a text, and returns the file.
func image(t *testing.T) string {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	folder := t.TempDir()
	var programs []program
	for _, p := range platforms {
		b := program{platform: p, file: filepath.Join(folder, p.os+p.arch), info: &buildinfo.BuildInfo{}}
		if err := os.WriteFile(b.file, []byte("the program for "+p.os+" and "+p.arch), 0o600); err != nil {
			t.Fatal(err)
		}
		programs = append(programs, b)
	}
	file := filepath.Join(folder, "image.tar")
	if err := writeImage(file, "0.1.0", programs, []byte("terms"), made); err != nil {
		t.Fatal(err)
	}
	return file
}

// unpacked reads a tar file, whose entries must come after the folders that they are in.
func unpacked(t *testing.T, r io.Reader) (headers map[string]*tar.Header, data map[string][]byte) {
	t.Helper()
	headers, data = map[string]*tar.Header{}, map[string][]byte{}
	for files := tar.NewReader(r); ; {
		h, err := files.Next()
		if err == io.EOF {
			return headers, data
		}
		if err != nil {
			t.Fatal(err)
		}
		if i := strings.LastIndexByte(strings.TrimSuffix(h.Name, "/"), '/'); i >= 0 && headers[h.Name[:i+1]] == nil {
			t.Errorf("%s comes before its folder", h.Name)
		}
		if headers[h.Name] != nil || !h.ModTime.Equal(made) {
			t.Errorf("%s is there twice, or of %v", h.Name, h.ModTime)
		}
		headers[h.Name] = h
		if data[h.Name], err = io.ReadAll(files); err != nil {
			t.Fatal(err)
		}
	}
}

// The archive holds what its index names, and images run as the Dockerfile says.
func TestImage(t *testing.T) {
	text, err := os.ReadFile(image(t))
	if err != nil {
		t.Fatal(err)
	}
	_, data := unpacked(t, bytes.NewReader(text))
	blob := func(d descriptor) []byte {
		t.Helper()
		content := data["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")]
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); sum != d.Digest || len(content) != d.Size {
			t.Fatalf("%s has %s, %d bytes, want %d", d.Digest, sum, len(content), d.Size)
		}
		return content
	}
	read := func(content []byte, into any) {
		t.Helper()
		if err := json.Unmarshal(content, into); err != nil {
			t.Fatal(err)
		}
	}
	var top, index manifest
	read(data["index.json"], &top)
	read(blob(top.Manifests[0]), &index)
	if len(index.Manifests) != 2 {
		t.Fatalf("%d images", len(index.Manifests))
	}
	for i, arch := range []string{"amd64", "arm64"} {
		var m manifest
		read(blob(index.Manifests[i]), &m)
		var shown struct {
			Architecture, OS string
			Config           config
			RootFS           struct {
				DiffIDs []string `json:"diff_ids"`
			}
		}
		read(blob(*m.Config), &shown)
		if p := *index.Manifests[i].Platform; p.Architecture != arch || shown.Architecture != arch || p.OS != "linux" || shown.OS != "linux" {
			t.Errorf("%+v, %s, %s, want %s", p, shown.Architecture, shown.OS, arch)
		}
		c := shown.Config
		c.Labels = nil
		if want := (config{
			User: "65532:65532", Env: []string{"RECKON_DATA=/data", "RECKON_LISTEN=0.0.0.0:8080"}, Volumes: map[string]struct{}{"/data": {}},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}, "6222/tcp": {}}, StopSignal: "SIGTERM", Entrypoint: []string{"/reckon"}, Cmd: []string{"serve"},
			Healthcheck: &healthcheck{[]string{"CMD", "/reckon", "ready"}, 5 * time.Second, 3 * time.Second, time.Minute},
		}); !reflect.DeepEqual(c, want) {
			t.Errorf("%+v, want %+v", c, want)
		}
		packed, err := gzip.NewReader(bytes.NewReader(blob(m.Layers[0])))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		if sum := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); sum != shown.RootFS.DiffIDs[0] {
			t.Errorf("the layer is %s, and called %s", sum, shown.RootFS.DiffIDs[0])
		}
		headers, files := unpacked(t, bytes.NewReader(layer))
		if h := headers["reckon"]; h.Mode != 0o755 || h.Uid != 0 || string(files["reckon"]) != "the program for linux and "+arch {
			t.Errorf("reckon: %+v %q", h, files["reckon"])
		}
		if h := headers["data/"]; h.Uid != 65532 || h.Gid != 65532 || h.Typeflag != tar.TypeDir {
			t.Errorf("data: %+v", h)
		}
		if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(files["etc/ssl/certs/ca-certificates.crt"]) || bytes.Count(files["etc/ssl/certs/ca-certificates.crt"], []byte("BEGIN")) < 100 {
			t.Error("there are no authorities")
		}
	}
}

func TestImageIsTheSameTwice(t *testing.T) {
	first, err := os.ReadFile(image(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("cmd", "release"))
	second, err := os.ReadFile(image(t))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("the bytes differ")
	}
}

// What is not known of a Dockerfile is not left out quietly.
func TestUnknownInstructions(t *testing.T) {
	for _, line := range []string{"RUN true", "COPY --from=other /a /b", "COPY --link --from=build /a /b", "COPY --from=build --chown=1:2 /a /b", "HEALTHCHECK NONE", "HEALTHCHECK --retries=3 CMD [\"a\"]", "ENTRYPOINT /reckon", "WORKDIR /"} {
		if r, err := readRecipe("FROM golang AS build\n\nFROM scratch\n" + line + "\n"); err == nil {
			t.Errorf("%s: %+v", line, r)
		}
	}
	r, err := readRecipe("\nFROM scratch\nCOPY --from=build /out/other /other\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.layer(nil, nil); err == nil {
		t.Error("an unknown file is left out")
	}
}
