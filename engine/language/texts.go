package language

import (
	"strconv"
	"strings"
)

// say is a text of the table of texts with what stands for its placeholders.
func (t *tables) say(name string, args ...string) string { return filled(t.texts[name][1], args) }

// count says how many there are of a noun of the table of texts.
func (t *tables) count(n int, name string) string {
	r := t.texts[name]
	if n == 1 {
		return r[1]
	}
	return filled(r[2], []string{strconv.Itoa(n)})
}

// filled puts arguments in the place of %0, %1 and so on.
func filled(template string, args []string) string {
	var pairs []string
	for i, arg := range args {
		pairs = append(pairs, "%"+strconv.Itoa(i), arg)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// list joins parts as a sentence does.
func (t *tables) list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return t.say("and", strings.Join(parts[:len(parts)-1], ", "), parts[len(parts)-1])
}

// joined is parts with the word for "and" between each two.
func (t *tables) joined(parts []string) string {
	text := ""
	for i, part := range parts {
		if i == 0 {
			text = part
		} else {
			text = t.say("and", text, part)
		}
	}
	return text
}

func quoted(fragment string) string { return `"` + fragment + `"` }
