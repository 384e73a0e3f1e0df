package main

import (
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

// longestStop is what a planned stop takes: the other nodes have 5 seconds to catch up, running requests 15 to finish, then the log
// and the views are closed.
const longestStop = 25 * time.Second

// understood parses a command line with its environment as the program does and returns what it is, such as "serve". Every
// RECKON_ variable must be that of a flag of the command, but those that an image sets for whatever it runs.
func understood(t *testing.T, where string, args []string, env, image map[string]string) string {
	t.Helper()
	for name, value := range env {
		t.Setenv(name, value)
	}
	defer func() {
		for name := range env {
			os.Unsetenv(name)
		}
	}()
	var c commandLine
	parser, err := newParser(&c, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		t.Errorf("%s: reckon %q: %v", where, args, err)
		return ""
	}
	known := map[string]bool{}
	for _, group := range parsed.Selected().AllFlags(true) {
		for _, flag := range group {
			for _, name := range flag.Envs {
				known[name] = true
			}
		}
	}
	for name := range env {
		if _, ok := image[name]; !ok && strings.HasPrefix(name, "RECKON_") && !known[name] {
			t.Errorf("%s: %s is no flag of 'reckon %s'", where, name, parsed.Command())
		}
	}
	return parsed.Command()
}

// root reads a file by its path from the root of the repository.
func root(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// image is what a Dockerfile makes of the last stage.
type image struct {
	build, from, user       string
	env                     map[string]string
	entrypoint, cmd, health []string
	volumes, exposed, owned []string
	compile                 string // the command that makes the program
}

// words reads the JSON form of an instruction.
func (image) words(t *testing.T, text string) (list []string) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Errorf("Dockerfile: %s: not a list of words: %v", text, err)
	}
	return list
}

func readImage(t *testing.T) image {
	t.Helper()
	i := image{env: map[string]string{}}
	for line := range strings.Lines(root(t, "cmd/reckon/Dockerfile")) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "FROM":
			i.build, i.from = i.from, rest
		case "USER":
			i.user = rest
		case "ENV":
			for _, pair := range strings.Fields(rest) {
				name, value, _ := strings.Cut(pair, "=")
				i.env[name] = value
			}
		case "ENTRYPOINT":
			i.entrypoint = i.words(t, rest)
		case "CMD":
			i.cmd = i.words(t, rest)
		case "VOLUME":
			i.volumes = i.words(t, rest)
		case "EXPOSE":
			i.exposed = strings.Fields(rest)
		case "HEALTHCHECK":
			_, words, _ := strings.Cut(rest, "CMD ")
			i.health = i.words(t, words)
		case "COPY":
			if fields := strings.Fields(rest); slices.Contains(fields, "--chown=65532:65532") {
				i.owned = append(i.owned, fields[len(fields)-1])
			}
		case "RUN":
			if strings.Contains(rest, "go build") {
				i.compile = rest
			}
		}
	}
	return i
}

// checkHealth wants a health check to be one that the image without a shell can do.
func (i image) checkHealth(t *testing.T, where string, words []string) {
	t.Helper()
	if len(words) == 0 || words[0] != i.entrypoint[0] {
		t.Errorf("%s: %q is no program of the image", where, words)
		return
	}
	if command := understood(t, where, words[1:], i.env, i.env); command != "ready" {
		t.Errorf("%s: %q is %q", where, words, command)
	}
}

func TestDockerfileFitsTheProgram(t *testing.T) {
	i := readImage(t)
	if i.from != "scratch" || len(i.entrypoint) != 1 || !nonRoot(i.user) {
		t.Errorf("image from %s, entry point %q, user %q", i.from, i.entrypoint, i.user)
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(root(t, "go.mod"))
	if !strings.HasPrefix(i.build, "golang:"+version[1]+" ") {
		t.Errorf("built with %s, go.mod wants %s", i.build, version[1])
	}
	for _, want := range []string{"CGO_ENABLED=0 ", " -trimpath ", " ./cmd/reckon"} {
		if !strings.Contains(i.compile+" ", want) {
			t.Errorf("%q is without %q", i.compile, want)
		}
	}
	if command := understood(t, "Dockerfile", i.cmd, i.env, nil); command != "serve" {
		t.Errorf("the image runs %q", command)
	}
	i.checkHealth(t, "Dockerfile", i.health)
	if _, port, err := net.SplitHostPort(i.env["RECKON_LISTEN"]); err != nil || !slices.Contains(i.exposed, port) {
		t.Errorf("%s is not exposed", i.env["RECKON_LISTEN"])
	}
	if data := i.env["RECKON_DATA"]; !slices.Contains(i.volumes, data) || !slices.Contains(i.owned, data) {
		t.Errorf("%s is no volume of the user", data)
	}
}

// nonRoot tells whether a user is a number other than root's. An image from scratch knows no names.
func nonRoot(user string) bool {
	id, _, _ := strings.Cut(user, ":")
	n, err := strconv.Atoi(id)
	return err == nil && n > 0
}

// composeService is what the tests look at of a service.
type composeService struct {
	Image           string
	User            string
	Command         []string
	Environment     map[string]string
	ReadOnly        bool     `yaml:"read_only"`
	CapDrop         []string `yaml:"cap_drop"`
	SecurityOpt     []string `yaml:"security_opt"`
	Volumes         []string
	Ports           []string
	Restart         string
	StopGracePeriod time.Duration `yaml:"stop_grace_period"`
	Healthcheck     struct {
		Test    []string
		Disable bool
	}
}

func readCompose(t *testing.T) map[string]composeService {
	t.Helper()
	var file struct{ Services map[string]composeService }
	if err := yaml.Unmarshal([]byte(root(t, "docker-compose.yml")), &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

func TestComposeServicesAreConfined(t *testing.T) {
	services := readCompose(t)
	if len(services) < 4 {
		t.Fatalf("%d services", len(services))
	}
	for name, s := range services {
		if !nonRoot(s.User) || !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s: user %q, read-only %v, dropped %q, options %q", name, s.User, s.ReadOnly, s.CapDrop, s.SecurityOpt)
		}
		if len(s.Volumes) == 0 {
			t.Errorf("%s has no volume", name)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: port %s is open to other machines", name, port)
			}
		}
		if s.Restart == "no" {
			continue // it runs once
		}
		if len(s.Healthcheck.Test) < 2 || s.Healthcheck.Test[0] != "CMD" || s.Healthcheck.Disable {
			t.Errorf("%s: health check %q", name, s.Healthcheck.Test)
		}
		if s.Restart != "unless-stopped" || s.StopGracePeriod < longestStop {
			t.Errorf("%s: restart %q, stopped after %v", name, s.Restart, s.StopGracePeriod)
		}
	}
}

// composed is what the services of the compose file must agree on.
type composed struct {
	nodes, routes, certified []string // hosts
	credentials              string   // directory of node.crt and the others
}

func TestComposeFitsTheProgram(t *testing.T) {
	i := readImage(t)
	var c composed
	services := readCompose(t)
	for _, name := range slices.Sorted(maps.Keys(services)) {
		s := services[name]
		if s.Image != "reckon" {
			continue
		}
		env := maps.Clone(i.env)
		maps.Copy(env, s.Environment)
		switch command := understood(t, name, s.Command, env, i.env); command {
		case "serve":
			c.addNode(t, name, s, env)
			i.checkHealth(t, name, s.Healthcheck.Test[1:])
		case "cluster credentials <dir>":
			c.certified = strings.Split(argument(s.Command, "--host"), ",")
			c.credentials = s.Command[2]
		default:
			t.Errorf("%s runs %q", name, command)
		}
	}
	if len(c.nodes) != 3 {
		t.Errorf("the nodes are %q", c.nodes)
	}
	if !slices.Equal(c.routes, c.nodes) || !slices.Equal(c.certified, c.nodes) {
		t.Errorf("nodes %q, routes to %q, certificates for %q", c.nodes, c.routes, c.certified)
	}
	want := map[string]string{
		"RECKON_CLUSTER_TLS_CA": authorityCertificate, "RECKON_CLUSTER_TLS_CERT": nodeCertificate,
		"RECKON_CLUSTER_TLS_KEY": nodeKey, "RECKON_CLUSTER_SECRET_FILE": clusterSecret,
	}
	for _, name := range c.nodes {
		for variable, file := range want {
			if got := services[name].Environment[variable]; got != path.Join(c.credentials, file) {
				t.Errorf("%s: %s is %q", name, variable, got)
			}
		}
	}
	for _, dir := range []string{c.credentials, argument(services["credentials"].Command, "--ca")} {
		if !slices.Contains(i.owned, dir) {
			t.Errorf("%s is no folder of the image's user, so that a new volume there is root's", dir)
		}
	}
	c.checkBalancer(t)
}

// argument is the value of a flag that stands as a word of its own.
func argument(words []string, flag string) string {
	if at := slices.Index(words, flag); at >= 0 && at+1 < len(words) {
		return words[at+1]
	}
	return ""
}

// addNode wants a node to be named as its service, to listen where the routes lead, and to keep its data in a volume of its own.
func (c *composed) addNode(t *testing.T, name string, s composeService, env map[string]string) {
	t.Helper()
	c.nodes = append(c.nodes, name)
	if argument(s.Command, "--node") != name {
		t.Errorf("%s calls itself %q", name, argument(s.Command, "--node"))
	}
	c.routes = nil
	listens := false
	for route := range strings.SplitSeq(env["RECKON_ROUTES"], ",") {
		u, err := url.Parse(route)
		if err != nil || u.Scheme != "nats" {
			t.Fatalf("%s: route %q: %v", name, route, err)
		}
		c.routes = append(c.routes, u.Hostname())
		listens = listens || u.Host == argument(s.Command, "--cluster-listen")
	}
	if !listens {
		t.Errorf("%s listens on %s, and the routes are %s", name, argument(s.Command, "--cluster-listen"), env["RECKON_ROUTES"])
	}
	own := slices.ContainsFunc(s.Volumes, func(v string) bool { return v == "data"+strings.TrimPrefix(name, "node")+":"+env["RECKON_DATA"] })
	if !own {
		t.Errorf("%s has no volume of its own for %s: %q", name, env["RECKON_DATA"], s.Volumes)
	}
}

// checkBalancer wants the load balancer to know each node and to ask for its readiness.
func (c *composed) checkBalancer(t *testing.T) {
	t.Helper()
	text := root(t, "cmd/reckon/haproxy.cfg")
	var servers []string
	for _, m := range regexp.MustCompile(`(?m)^ +server \S+ (\S+):8080$`).FindAllStringSubmatch(text, -1) {
		servers = append(servers, m[1])
	}
	if !slices.Equal(servers, slices.Concat(c.nodes, c.nodes)) { // once for when they are ready, once for when none is
		t.Errorf("the load balancer knows %q, the nodes are %q", servers, c.nodes)
	}
	if !strings.Contains(text, "uri /readyz ") {
		t.Error("the load balancer does not ask /readyz")
	}
}

func TestUnitFitsTheProgram(t *testing.T) {
	unit := map[string][]string{}
	for line := range strings.Lines(root(t, "cmd/reckon/reckon.service")) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(name, "#") {
			unit[name] = append(unit[name], value)
		}
	}
	last := func(name string) string {
		if len(unit[name]) == 0 {
			return ""
		}
		return unit[name][len(unit[name])-1]
	}
	env := map[string]string{}
	for _, pair := range strings.Fields(strings.Join(unit["Environment"], " ")) {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	if command := understood(t, "reckon.service", strings.Fields(last("ExecStart"))[1:], env, nil); command != "serve" {
		t.Errorf("the unit runs %q", command)
	}
	if env["RECKON_DATA"] != "/var/lib/"+last("StateDirectory") {
		t.Errorf("data in %s, state in %s", env["RECKON_DATA"], last("StateDirectory"))
	}
	for name, want := range map[string]string{
		"User": "reckon", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "Restart": "always", "LimitNOFILE": "65536", "CapabilityBoundingSet": "",
	} {
		if last(name) != want {
			t.Errorf("%s=%s, want %s", name, last(name), want)
		}
	}
	if seconds, err := strconv.Atoi(last("TimeoutStopSec")); err != nil || time.Duration(seconds)*time.Second < longestStop {
		t.Errorf("TimeoutStopSec=%s", last("TimeoutStopSec"))
	}
}

// manifest is what the tests look at of an object of Kubernetes.
type manifest struct {
	Kind string
	Spec struct {
		Template struct {
			Spec struct {
				Containers []container
				Grace      int `yaml:"terminationGracePeriodSeconds"`
			}
		}
	}
}

type container struct {
	Args []string
	Env  []struct{ Name, Value string }
	Live struct {
		HTTPGet struct{ Path string } `yaml:"httpGet"`
	} `yaml:"livenessProbe"`
	Ready struct {
		HTTPGet struct{ Path string } `yaml:"httpGet"`
	} `yaml:"readinessProbe"`
}

func TestKubernetesManifestFitsTheProgram(t *testing.T) {
	i := readImage(t)
	found := 0
	for d := yaml.NewDecoder(strings.NewReader(root(t, "cmd/reckon/kubernetes.yaml"))); ; {
		var m manifest
		err := d.Decode(&m)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range m.Spec.Template.Spec.Containers {
			found++
			env := maps.Clone(i.env)
			for _, e := range c.Env {
				env[e.Name] = e.Value
			}
			if command := understood(t, m.Kind, c.Args, env, i.env); command != "serve" {
				t.Errorf("%s runs %q", m.Kind, command)
			}
			if c.Live.HTTPGet.Path != "/healthz" || c.Ready.HTTPGet.Path != "/readyz" {
				t.Errorf("%s: probes %+v, %+v", m.Kind, c.Live, c.Ready)
			}
		}
		if grace := time.Duration(m.Spec.Template.Spec.Grace) * time.Second; m.Kind == "StatefulSet" && grace < longestStop {
			t.Errorf("%s: stopped after %v", m.Kind, grace)
		}
	}
	if found == 0 {
		t.Error("kubernetes.yaml runs nothing")
	}
}
