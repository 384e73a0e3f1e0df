package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An archive that is cut off, or that has what does not belong into a folder, leaves the folder
// empty, and nothing beside it.
func TestUnpackKeepsToItsFolder(t *testing.T) {
	packed := func(headers ...zip.FileHeader) []byte {
		var b bytes.Buffer
		archive := zip.NewWriter(&b)
		for i := range headers {
			file, err := archive.CreateHeader(&headers[i])
			if err == nil && !strings.HasSuffix(headers[i].Name, "/") {
				_, err = file.Write([]byte("there"))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	link := zip.FileHeader{Name: "link"}
	link.SetMode(fs.ModeSymlink | 0o777)
	good := zip.FileHeader{Name: "events.jsonl"}
	whole := packed(good, zip.FileHeader{Name: "domains/dm_1.yaml"})
	for name, c := range map[string]struct {
		archive []byte
		want    string // of the error, "" for none
	}{
		"good":            {whole, ""},
		"above":           {packed(good, zip.FileHeader{Name: "../escaped"}), `"../escaped" is no name of a file in a folder`},
		"above, inside":   {packed(good, zip.FileHeader{Name: "domains/../../escaped"}), "is no name of a file"},
		"absolute":        {packed(zip.FileHeader{Name: "/escaped"}), "is no name of a file"},
		"backslashes":     {packed(zip.FileHeader{Name: `..\escaped`}), "is no name of a file"},
		"link":            {packed(good, link), `"link" is no name of a file`},
		"folder":          {packed(zip.FileHeader{Name: "domains/"}), "is no name of a file"},
		"no name":         {packed(zip.FileHeader{}), "is no name of a file"},
		"twice":           {packed(good, good), "events.jsonl: "},
		"file and folder": {packed(good, zip.FileHeader{Name: "events.jsonl/x"}), "events.jsonl/x: "},
		"cut off":         {whole[:len(whole)-10], "is no whole archive: give the command again"},
		"nothing":         {nil, "is no whole archive"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			folder := filepath.Join(top, "out")
			list, err := administration{server: "here"}.unpack(bytes.NewReader(c.archive), folder)
			var found []string
			_ = filepath.WalkDir(top, func(path string, entry fs.DirEntry, _ error) error {
				if info, err := os.Stat(path); err == nil && !entry.IsDir() {
					found = append(found, path)
					if info.Mode().Perm() != 0o600 {
						t.Errorf("%s has the mode %v", path, info.Mode())
					}
				}
				return nil
			})
			if c.want == "" {
				if err != nil || len(list) != 2 || len(found) != 2 || list[0].Bytes != 5 {
					t.Errorf("%v %v (%v)", list, found, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(found) > 0 {
				t.Errorf("%v and %v, want %s", err, found, c.want)
			}
			if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
				t.Errorf("left: %v (%v)", entries, err)
			}
		})
	}
}
