package main

import (
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// dockerfile says what the image is: its last stage is read here too, so that both ways make the
// same one.
const dockerfile = "cmd/reckon/Dockerfile"

// recipe is the last stage of a Dockerfile.
type recipe struct {
	config config
	copies []placed
}

// placed is a file or folder that is copied, by its name where it was built.
type placed struct {
	from, to string
	owner    int
}

// config is how a container runs, by the image specification of OCI; Healthcheck is Docker's.
type config struct {
	User         string              `json:"User,omitempty"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts,omitempty"`
	Env          []string            `json:"Env,omitempty"`
	Entrypoint   []string            `json:"Entrypoint,omitempty"`
	Cmd          []string            `json:"Cmd,omitempty"`
	Volumes      map[string]struct{} `json:"Volumes,omitempty"`
	Labels       map[string]string   `json:"Labels,omitempty"`
	StopSignal   string              `json:"StopSignal,omitempty"`
	Healthcheck  *healthcheck        `json:"Healthcheck,omitempty"`
}

type healthcheck struct {
	Test        []string
	Interval    time.Duration `json:",omitempty"`
	Timeout     time.Duration `json:",omitempty"`
	StartPeriod time.Duration `json:",omitempty"`
}

// readRecipe reads the last stage. It knows the instructions that stand there, and no others.
func readRecipe(text string) (recipe, error) {
	r := recipe{config: config{ExposedPorts: map[string]struct{}{}, Volumes: map[string]struct{}{}}}
	_, stage, found := strings.Cut(text, "\nFROM scratch\n")
	if !found {
		return r, fmt.Errorf("%s has no stage from scratch", dockerfile)
	}
	for line := range strings.Lines(stage) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		instruction, rest, _ := strings.Cut(line, " ")
		if err := r.instruct(instruction, rest); err != nil {
			return r, fmt.Errorf("%s: %s: %w", dockerfile, line, err)
		}
	}
	return r, nil
}

func (r *recipe) instruct(instruction, rest string) error {
	words := strings.Fields(rest)
	list := func(text string, into *[]string) error { return json.Unmarshal([]byte(text), into) }
	switch instruction {
	case "COPY":
		p := placed{}
		for _, w := range words[:len(words)-2] {
			if owner, ok := strings.CutPrefix(w, "--chown="); ok {
				user, group, _ := strings.Cut(owner, ":")
				id, err := strconv.Atoi(user)
				if err != nil || user != group {
					return fmt.Errorf("an owner by one number is expected")
				}
				p.owner = id
			} else if w != "--from=build" {
				return fmt.Errorf("%s is not known", w)
			}
		}
		p.from, p.to = words[len(words)-2], words[len(words)-1]
		r.copies = append(r.copies, p)
	case "USER":
		r.config.User = rest
	case "ENV":
		r.config.Env = append(r.config.Env, words...)
	case "VOLUME":
		var names []string
		if err := list(rest, &names); err != nil {
			return err
		}
		for _, name := range names {
			r.config.Volumes[name] = struct{}{}
		}
	case "EXPOSE":
		for _, port := range words {
			r.config.ExposedPorts[port+"/tcp"] = struct{}{}
		}
	case "STOPSIGNAL":
		r.config.StopSignal = rest
	case "ENTRYPOINT":
		return list(rest, &r.config.Entrypoint)
	case "CMD":
		return list(rest, &r.config.Cmd)
	case "HEALTHCHECK":
		return r.health(rest)
	default:
		return fmt.Errorf("the instruction is not known here: teach it to cmd/release")
	}
	return nil
}

func (r *recipe) health(rest string) error {
	flags, command, found := strings.Cut(rest, "CMD ")
	h := &healthcheck{Test: []string{"CMD"}}
	var words []string
	if err := json.Unmarshal([]byte(command), &words); err != nil || !found {
		return fmt.Errorf("a command as a list is expected")
	}
	h.Test = append(h.Test, words...)
	for _, flag := range strings.Fields(flags) {
		name, value, _ := strings.Cut(flag, "=")
		d, err := time.ParseDuration(value)
		into := map[string]*time.Duration{"--interval": &h.Interval, "--timeout": &h.Timeout, "--start-period": &h.StartPeriod}[name]
		if err != nil || into == nil {
			return fmt.Errorf("%s is not known", flag)
		}
		*into = d
	}
	r.config.Healthcheck = h
	return nil
}

// layer is what the image holds, every folder before what is in it.
func (r recipe) layer(binary, notices []byte) ([]entry, error) {
	sources := map[string][]byte{"/out/reckon": binary, "/etc/ssl/certs/ca-certificates.crt": authorities()}
	var list []entry
	folders := map[string]bool{}
	add := func(e entry) {
		for i, c := range e.name {
			if folder := e.name[:i+1]; c == '/' && folder != e.name && !folders[folder] {
				folders[folder] = true
				list = append(list, entry{name: folder})
			}
		}
		list = append(list, e)
	}
	for _, c := range r.copies {
		name := strings.TrimPrefix(path.Clean(c.to), "/")
		data, known := sources[c.from]
		switch {
		case c.from == "/out/empty":
			add(entry{name: name + "/", owner: c.owner})
		case !known:
			return nil, fmt.Errorf("%s: what %s is must be taught to cmd/release", dockerfile, c.from)
		case c.from == "/out/reckon":
			add(entry{name: name, mode: 0o755, owner: c.owner, data: data})
		default:
			add(entry{name: name, mode: 0o644, owner: c.owner, data: data})
		}
	}
	add(entry{name: "licenses/THIRD_PARTY_LICENSES", mode: 0o644, data: notices})
	return list, nil
}

// authorities are the certificate authorities of the public web as Mozilla lists them, without
// those that it trusts for a part of their certificates only, which this form cannot say.
func authorities() []byte {
	var text []byte
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
		}
	}
	return text
}

// descriptor names a blob of the archive.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *imagePlatform    `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type imagePlatform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// manifest is that of an image, or an index of several.
type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Config        *descriptor  `json:"config,omitempty"`
	Layers        []descriptor `json:"layers,omitempty"`
	Manifests     []descriptor `json:"manifests,omitempty"`
}

const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// blobs are the contents of an archive, by their digests.
type blobs struct{ entries []entry }

func (b *blobs) add(mediaType string, data []byte) descriptor {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	name := "blobs/sha256/" + sum
	if !slices.ContainsFunc(b.entries, func(e entry) bool { return e.name == name }) {
		b.entries = append(b.entries, entry{name: name, mode: 0o644, data: data})
	}
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(data)}
}

func (b *blobs) addJSON(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return b.add(mediaType, data), err
}

// writeImage writes an image for each processor of Linux, and an index of them, as an OCI layout in
// a tar file.
func writeImage(file, version string, programs []program, notices []byte, made time.Time) error {
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return err
	}
	r, err := readRecipe(string(text))
	if err != nil {
		return err
	}
	r.config.Labels = map[string]string{
		"org.opencontainers.image.title": "Reckon", "org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.created": made.Format(time.RFC3339),
	}
	if revision := setting(programs[0].info, "vcs.revision"); revision != "" {
		r.config.Labels["org.opencontainers.image.revision"] = revision
	}
	b := &blobs{}
	index := manifest{SchemaVersion: 2, MediaType: indexType}
	for _, p := range programs {
		if p.os != "linux" {
			continue
		}
		binary, err := os.ReadFile(p.file)
		if err != nil {
			return err
		}
		d, err := b.image(r, p.platform, binary, notices, made)
		if err != nil {
			return err
		}
		index.Manifests = append(index.Manifests, d)
	}
	if len(index.Manifests) == 0 {
		return nil // a release without Linux
	}
	whole, err := b.addJSON(indexType, index)
	if err != nil {
		return err
	}
	whole.Annotations = map[string]string{"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "docker.io/library/reckon:" + version}
	top, err := json.Marshal(manifest{SchemaVersion: 2, MediaType: indexType, Manifests: []descriptor{whole}})
	if err != nil {
		return err
	}
	entries := append([]entry{
		{name: "oci-layout", mode: 0o644, data: []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {name: "index.json", mode: 0o644, data: top}, {name: "blobs/"}, {name: "blobs/sha256/"},
	}, b.entries...)
	return os.WriteFile(file, tarOf(entries, made), 0o644)
}

// image adds the image for a processor.
func (b *blobs) image(r recipe, p platform, binary, notices []byte, made time.Time) (descriptor, error) {
	files, err := r.layer(binary, notices)
	if err != nil {
		return descriptor{}, err
	}
	layer := tarOf(files, made)
	packed, err := compressed(layer)
	if err != nil {
		return descriptor{}, err
	}
	type rootfs struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	type step struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
	at := made.Format(time.RFC3339)
	shown, err := b.addJSON(configType, struct {
		Created      string `json:"created"`
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
		Config       config `json:"config"`
		RootFS       rootfs `json:"rootfs"`
		History      []step `json:"history"`
	}{at, p.arch, p.os, r.config, rootfs{"layers", []string{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}}, []step{{at, dockerfile}}})
	if err != nil {
		return descriptor{}, err
	}
	d, err := b.addJSON(manifestType, manifest{SchemaVersion: 2, MediaType: manifestType, Config: &shown, Layers: []descriptor{b.add(layerType, packed)}})
	d.Platform = &imagePlatform{p.arch, p.os}
	return d, err
}
