package engine

import (
	"slices"
	"strings"

	"reckon/engine/input"
	"reckon/engine/value"
)

// FindVariable matches a name as CONTRACT.md section 2 says: exact key, key ignoring case, title
// folded. It fails with input.unknown_variable (with the key whose key or title is spelt most like
// the name) or input.ambiguous_variable.
func (d *Domain) FindVariable(name string) (int, *value.Error) {
	if i, err := d.NamedVariable(name); i >= 0 || err != nil {
		return i, err
	}
	name = strings.TrimSpace(name)
	if nearest := d.nearestVariable(fold(name)); nearest != "" {
		return -1, value.Problem("input.unknown_variable", input.Quoted(name), nearest)
	}
	return -1, value.Problem("input.unknown_variable", input.Quoted(name))
}

// NamedVariable is FindVariable for names that may be none: -1 says that no variable has it, so
// that the only error is input.ambiguous_variable.
func (d *Domain) NamedVariable(name string) (int, *value.Error) {
	name = strings.TrimSpace(name)
	if i := slices.IndexFunc(d.Variables, func(v value.Variable) bool { return v.Key == name }); i >= 0 {
		return i, nil
	}
	if i, err := d.onlyVariable(name, func(v *value.Variable) bool { return strings.EqualFold(v.Key, name) }); i >= 0 || err != nil {
		return i, err
	}
	title := fold(name)
	if title == "" {
		return -1, nil
	}
	return d.onlyVariable(name, func(v *value.Variable) bool { return v.Title != "" && fold(v.Title) == title })
}

// onlyVariable is the one variable that matches, -1 for none. Several are input.ambiguous_variable.
func (d *Domain) onlyVariable(name string, matches func(*value.Variable) bool) (int, *value.Error) {
	only := -1
	var keys []string
	for i := range d.Variables {
		if v := &d.Variables[i]; matches(v) {
			only = i
			keys = append(keys, v.Key)
		}
	}
	if len(keys) > 1 {
		return -1, value.Problem("input.ambiguous_variable", input.Quoted(name), strings.Join(keys, " or "))
	}
	return only, nil
}

// nearestVariable is the key of the variable whose key or title a folded name is most likely meant
// for, "" for none.
func (d *Domain) nearestVariable(name string) string {
	best, least := "", 0
	for _, v := range d.Variables {
		for _, candidate := range []string{fold(v.Key), fold(v.Title)} {
			if n, near := value.Misspelt(name, candidate); near && (best == "" || n < least) {
				best, least = v.Key, n
			}
		}
	}
	return best
}
