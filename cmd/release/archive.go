package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file or a folder of an archive. A folder has a name that ends in a slash.
type entry struct {
	name  string
	mode  int64
	owner int // user and group
	data  []byte
}

// writeArchive writes the program for a platform with its terms: a zip file for Windows, which
// opens it by itself, and a compressed tar file for the others.
func writeArchive(out, version string, p program, notices []byte, made time.Time) error {
	binary, err := os.ReadFile(p.file)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("reckon-%s-%s-%s", version, p.os, p.arch)
	entries := []entry{{name: name + "/"}, {name: name + "/reckon", mode: 0o755, data: binary}, {name: name + "/THIRD_PARTY_LICENSES", mode: 0o644, data: notices}}
	for _, file := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name: name + "/" + file, mode: 0o644, data: data})
	}
	if p.os != "windows" {
		data, err := compressed(tarOf(entries, made))
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(out, name+".tar.gz"), data, 0o644)
	}
	entries[1].name += ".exe"
	data, err := zipOf(entries, made)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, name+".zip"), data, 0o644)
}

// tarOf writes entries in their order, all of the same moment.
func tarOf(entries []entry, made time.Time) []byte {
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	for _, e := range entries {
		h := tar.Header{Name: e.name, Mode: cmp.Or(e.mode, 0o755), Uid: e.owner, Gid: e.owner, Size: int64(len(e.data)), ModTime: made, Typeflag: tar.TypeReg, Format: tar.FormatPAX}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		_ = w.WriteHeader(&h) // into memory, with names of letters
		_, _ = w.Write(e.data)
	}
	_ = w.Close()
	return data.Bytes()
}

func zipOf(entries []entry, made time.Time) ([]byte, error) {
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: made}
		h.SetMode(os.FileMode(cmp.Or(e.mode, 0o755)))
		if strings.HasSuffix(e.name, "/") {
			h.Method = zip.Store
			h.SetMode(os.ModeDir | 0o755)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write(e.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return data.Bytes(), err
}

func compressed(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = io.Copy(w, bytes.NewReader(data))
	}
	if err == nil {
		err = w.Close()
	}
	return packed.Bytes(), err
}

// component is a part of the program in the form of CycloneDX.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
}

// writeParts lists what the programs are made of (a bill of materials, CycloneDX 1.6).
func writeParts(file, version string, programs []program, made time.Time) error {
	parts := []component{{Type: "platform", Name: "go", Version: programs[0].info.GoVersion}}
	for _, p := range programs {
		for _, d := range p.info.Deps {
			c := component{"library", d.Path, d.Version, "pkg:golang/" + d.Path + "@" + d.Version}
			if !slices.Contains(parts, c) {
				parts = append(parts, c)
			}
		}
	}
	slices.SortFunc(parts, func(a, b component) int { return strings.Compare(a.Name, b.Name) })
	type metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	data, err := json.MarshalIndent(struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Metadata   metadata    `json:"metadata"`
		Components []component `json:"components"`
	}{"CycloneDX", "1.6", 1, metadata{made.Format(time.RFC3339), component{Type: "application", Name: "reckon", Version: version}}, parts}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
