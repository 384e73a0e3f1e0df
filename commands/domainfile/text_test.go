package domainfile

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"reckon/events"
)

// domainFiles lists the domain files of the repository.
func domainFiles(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"starter/*/*.yaml", "testdata/domains/*.yaml", "testdata/prose/*.yaml"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "cmd", "reckon", pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		names = append(names, found...)
	}
	return slices.DeleteFunc(names, func(name string) bool { ok, _ := filepath.Match("*.prompts.yaml", filepath.Base(name)); return ok })
}

// A definition that is written as a file reads back as it was, and so does the text of that.
func TestDefinitionsReadBack(t *testing.T) {
	for _, name := range domainFiles(t) {
		f, err := Read(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Text(f.Key, f.Definition)
		if err != nil {
			t.Fatal(err)
		}
		back := Parse(name, text)
		if !back.Readable() || back.Key != f.Key || !sameDefinition(back.Definition, f.Definition) {
			t.Errorf("%s does not read back: %+v\n%s", name, back.findings, text)
		}
		if err := fits(t, domainSchema(t), text); err != nil {
			t.Errorf("%s: the text does not fit the schema: %v", name, err)
		}
	}
	odd := Parse("odd.yaml", []byte("title: '#1: \"a\"'\ndescription: \"a\\n b\\u2028 \\n\\n\"\nkey: dm_0123abcd\nunits: ['1', 'true']\nstrict_roots: true\n"+
		"variables:\n  - {key: n, default_value: [['1', '- a'], ['', null]], display_metadata: {table: {x: 0.1, y: [1, true, ~]}}}\n  - {key: y, title: 'no', min: 0x1, aliases: [on, '~']}\n  - {key: z, integer: true, hidden: true, group: 'yes', max: 5}\n  - {key: c, choices: [no, 'Yes & no'], default_value: no}\n  - {key: d, choices: {no: 0, standard: 19%, \"a: b\": 0x1}}\n  - {key: e, choices: {EU: {value: 1, aliases: [European Union, 'true']}, World: 2}}\n"+
		"activities:\n  - {equation: n = y, calculable: [], state: disabled}\n  - {equation: 'n = y # 2'}\nsources: [{title: 'a: b', url: 'https://example.org/?a=b&c=d#e', licence: 'CC BY 4.0'}, {title: B}]\nconstraints: {'n < y': \"a: \\\"b\\\"\", y > 3: no}\ntests:\n  - {prompt: \"a: 1\\n  b: 2 \", expect: {y: ['', '1e3']}}\n"))
	text, err := Text(odd.Key, odd.Definition)
	if err != nil {
		t.Fatal(err)
	}
	if back := Parse("odd.yaml", text); back.Key != odd.Key || !sameDefinition(back.Definition, odd.Definition) {
		t.Errorf("%s\nreads back as\n%+v\nnot\n%+v", text, back.Definition, odd.Definition)
	}
}

func sameDefinition(a, b events.Definition) bool {
	key, _ := Text("", a)
	other, _ := Text("", b)
	return reflect.DeepEqual(key, other) && len(a.Tests) == len(b.Tests) && reflect.DeepEqual(a.Variables, b.Variables) && reflect.DeepEqual(a.Activities, b.Activities)
}
