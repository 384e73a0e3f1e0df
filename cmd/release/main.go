// Command release makes what a release consists of: the program for every system that it runs on,
// each in an archive with its licences, the image as an OCI archive for several processors, a list
// of what the program is made of, and checksums of all. The same commit makes the same bytes with
// the same Go, wherever it is built; Docker is not needed.
//
//	go run ./cmd/release -out dist
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// platform is a system that the program runs on.
type platform struct{ os, arch string }

var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// program is the program as it was built for a platform.
type program struct {
	platform
	file string
	info *buildinfo.BuildInfo
}

func main() {
	out := flag.String("out", "dist", "folder that is written, with what was in it removed")
	only := flag.String("only", "", "platforms to make it for, such as linux/amd64,linux/arm64, in place of all")
	flag.Parse()
	chosen, err := choose(*only)
	if err == nil {
		err = release(*out, chosen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// choose lists the platforms that are named, all of them where none is.
func choose(names string) (chosen []platform, err error) {
	if names == "" {
		return platforms, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		system, arch, _ := strings.Cut(strings.TrimSpace(name), "/")
		p := platform{system, arch}
		if !slices.Contains(platforms, p) {
			return nil, fmt.Errorf("there is no release for %q: there are %v", name, platforms)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

func (p platform) String() string { return p.os + "/" + p.arch }

func release(out string, platforms []platform) error {
	version, err := versionOf("cmd/reckon/version.go")
	if err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	built, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	var programs []program
	for _, p := range platforms {
		fmt.Println("building for", p)
		b, err := build(p, built)
		if err != nil {
			return err
		}
		programs = append(programs, b)
	}
	if setting(programs[0].info, "vcs.modified") == "true" {
		fmt.Fprintln(os.Stderr, "release: there are changes that are not committed: nobody else can make these bytes")
	}
	made, err := moment(programs[0].info)
	if err != nil {
		return err
	}
	notices, err := licences(programs)
	if err != nil {
		return err
	}
	for _, p := range programs {
		if err := writeArchive(out, version, p, notices, made); err != nil {
			return err
		}
	}
	if err := writeParts(filepath.Join(out, "reckon-"+version+".cdx.json"), version, programs, made); err != nil {
		return err
	}
	if err := writeImage(filepath.Join(out, "reckon-"+version+"-oci.tar"), version, programs, notices, made); err != nil {
		return err
	}
	return writeSums(out)
}

// releaseForm is the line of the program that says its version.
var releaseForm = regexp.MustCompile(`(?m)^const release = "([0-9A-Za-z.-]+)"$`)

func versionOf(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%w (run it in the root of the repository)", err)
	}
	m := releaseForm.FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%s does not say the release", file)
	}
	return string(m[1]), nil
}

// build builds the program for a platform. The environment has no part in it but for where things
// are kept.
func build(p platform, folder string) (program, error) {
	b := program{platform: p, file: filepath.Join(folder, p.os+"-"+p.arch)}
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s -w", "-o", b.file, "./cmd/reckon")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return b, fmt.Errorf("build for %v: %w", p, err)
	}
	info, err := buildinfo.ReadFile(b.file)
	if err != nil {
		return b, err
	}
	b.info = info
	return b, nil
}

// setting is what a build says of itself, "" for nothing.
func setting(info *buildinfo.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// moment is when the release was made: when its commit was, so that it is the same again.
func moment(info *buildinfo.BuildInfo) (time.Time, error) {
	text := setting(info, "vcs.time")
	if text == "" {
		return time.Unix(0, 0).UTC(), nil // of a tree without history
	}
	at, err := time.Parse(time.RFC3339, text)
	return at.UTC(), err
}

// licenceForm are the names of files with terms.
var licenceForm = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// licences are the terms of all that the programs are made of, which those who pass them on must
// pass on too.
func licences(programs []program) ([]byte, error) {
	modules := map[string]string{}
	for _, p := range programs {
		for _, d := range p.info.Deps {
			modules[d.Path] = d.Version
		}
	}
	var text strings.Builder
	text.WriteString("Reckon is made with the modules below, and with Go. These are their terms.\n")
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	folders := map[string]string{"Go " + strings.TrimPrefix(programs[0].info.GoVersion, "go"): strings.TrimSpace(string(root))}
	for path, version := range modules {
		folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
		if err != nil {
			return nil, fmt.Errorf("find the module %s: %w", path, err)
		}
		folders[path+" "+version] = strings.TrimSpace(string(folder))
	}
	var names []string
	for name := range folders {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		files, err := os.ReadDir(folders[name])
		if err != nil {
			return nil, err
		}
		found := false
		for _, f := range files {
			if f.IsDir() || !licenceForm.MatchString(f.Name()) {
				continue
			}
			terms, err := os.ReadFile(filepath.Join(folders[name], f.Name()))
			if err != nil {
				return nil, err
			}
			found = true
			fmt.Fprintf(&text, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), name, f.Name(), strings.TrimSpace(strings.ReplaceAll(string(terms), "\r\n", "\n")))
		}
		if !found {
			return nil, fmt.Errorf("the module %s has no file with its terms", name)
		}
	}
	return []byte(text.String()), nil
}

// writeSums writes the checksums of all files of a folder, as sha256sum -c reads them.
func writeSums(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(folder, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	fmt.Print(sums.String())
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(sums.String()), 0o644)
}
