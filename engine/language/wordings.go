package language

import "strings"

// Wordings are plain questions for what has a title, in the language of the domain, where others
// are given their values: "Distance is 12 mi, speed is 3 mi/h. What is the time?"
func (v *Vocabulary) Wordings(titles, values []string, asked string) []string {
	t := v.tables
	if !t.has(capitalNouns) {
		asked = strings.ToLower(asked)
	}
	var is, bare []string
	of := ""
	for i, title := range titles {
		if !t.has(capitalNouns) {
			title = strings.ToLower(title)
		}
		value := t.written(values[i])
		is, bare = append(is, t.say("wording is", title, value)), append(bare, title+" "+value)
		if one := t.say("wording of", title, value); of == "" {
			of = one
		} else {
			of = t.say("and", of, one)
		}
	}
	return []string{
		t.say("wording ask", strings.Join(is, ", "), asked),
		t.say("wording ask with", of, asked),
		strings.Join(append(bare, asked), ", ") + "?",
	}
}
