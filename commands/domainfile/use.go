package domainfile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Limits of used files.
const (
	maxUsed  = 50
	maxDepth = 8
)

// use reads the files whose variables, equations, constraints, counting units and sources are the
// domain's own.
func (f *File) use(at string, n *yaml.Node) {
	f.list(at, n, func(at string, n *yaml.Node) {
		var name string
		if f.text(&name)(at, n); n.Kind != yaml.ScalarNode {
			return
		}
		full, data, err := f.readBeside(name)
		if err != nil {
			f.report(at, n, "%s.", strings.TrimSuffix(err.Error(), "."))
			return
		}
		switch {
		case slices.Contains(f.users, full):
			f.report(at, n, "The files use one another in a ring: %s.", strings.Join(append(slices.Clone(f.users), full), ", "))
			return
		case len(f.users) > maxDepth:
			f.report(at, n, "Files use one another at most %d deep.", maxDepth)
			return
		case slices.ContainsFunc(*f.used, func(u *File) bool { return u.beside == full }):
			return // what several files use is there once
		case len(*f.used) == maxUsed:
			f.report(at, n, "A domain uses at most %d files.", maxUsed)
			return
		}
		part := &File{Name: besideName(f.Name, f.beside, full), beside: full, part: true, data: data, places: map[string]*yaml.Node{}}
		part.files, part.used, part.named, part.users = f.files, f.used, f.named, append(slices.Clone(f.users), full)
		*f.used = append(*f.used, part)
		part.parse(data)
		part.usedAt = n
		f.parts = append(f.parts, part)
	})
}

// besideName is what a file beside another one is called: with the same directory in front of it.
func besideName(name, own, full string) string {
	return strings.TrimSuffix(name, own) + full
}

// joined takes what the used files declare behind what this one declares.
func (f *File) joined() {
	d := &f.Definition
	for _, part := range f.parts {
		p := &part.Definition
		base := map[string]int{"variables": len(d.Variables), "activities": len(d.Activities), "constraints": len(d.Constraints)}
		f.clashes(part)
		d.Variables = append(d.Variables, p.Variables...)
		d.Activities = append(d.Activities, p.Activities...)
		d.Constraints = append(d.Constraints, p.Constraints...)
		for _, s := range p.Sources {
			if !slices.Contains(d.Sources, s) {
				d.Sources = append(d.Sources, s)
			}
		}
		for _, unit := range p.Units {
			if !slices.Contains(d.Units, unit) {
				d.Units = append(d.Units, unit)
			}
		}
		for _, c := range part.cards {
			c.variable, c.path = base["variables"]+c.variable, moved(c.path, base)
			f.cards = append(f.cards, c)
		}
		for at, n := range part.places {
			moved := moved(at, base)
			if moved == "" {
				continue
			}
			f.places[moved], f.owners[moved] = n, part
			if name := part.cells[at]; name != "" {
				f.cells[moved] = name
			}
			if owner := part.owners[at]; owner != nil {
				f.owners[moved] = owner
			}
		}
		for _, finding := range part.findings {
			if finding.File == "" {
				finding.File = part.Name
			}
			f.findings = append(f.findings, finding)
		}
	}
}

var itemPath = regexp.MustCompile(`^(variables|activities|constraints)\[(\d+)\]`)

// moved is the path of an item of a used file among those of the file that uses it, "" for what is
// no item.
func moved(at string, base map[string]int) string {
	m := itemPath.FindStringSubmatch(at)
	if m == nil {
		return ""
	}
	i, err := strconv.Atoi(m[2])
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s[%d]%s", m[1], base[m[1]]+i, at[len(m[0]):])
}

// clashes reports keys that a used file declares as well.
func (f *File) clashes(part *File) {
	at := map[string]int{}
	for i, v := range f.Definition.Variables {
		at[v.Key] = i
	}
	for k, v := range part.Definition.Variables {
		i, twice := at[v.Key]
		if !twice || v.Key == "" {
			continue
		}
		theirs := part.Name
		if owner := part.owners[fmt.Sprintf("variables[%d].key", k)]; owner != nil {
			theirs = owner.Name
		}
		path := fmt.Sprintf("variables[%d].key", i)
		n, ours := f.places[path], f.Name
		if owner := f.owners[path]; owner != nil {
			n, ours = part.usedAt, owner.Name
		}
		f.findings = append(f.findings, Finding{Line: n.Line, Column: n.Column, Path: path,
			Message: fmt.Sprintf("%q is declared in %s and in %s, which this file uses: give one of them another key.", v.Key, ours, theirs)})
	}
}

// Owner is the file that a finding is in: this one, or one that it uses.
func (f *File) Owner(finding Finding) *File {
	if i := slices.IndexFunc(*f.used, func(u *File) bool { return u.Name == finding.File }); finding.File != "" && i >= 0 {
		return (*f.used)[i]
	}
	return f
}

// ownerAt is the used file that a path, or what is around it, is in; nil for this one.
func (f *File) ownerAt(path string) *File {
	for path != "" {
		if owner := f.owners[path]; owner != nil || f.places[path] != nil {
			return owner
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return nil
}

// again is the file with another text.
func (f *File) again(text []byte) *File { return parsed(f.files, f.Name, f.beside, text) }
