package http

import "testing"

func TestMatches(t *testing.T) {
	tag := entityTag([]byte(`{"a":1}`))
	if len(tag) != 34 || tag == entityTag([]byte(`{"a":2}`)) {
		t.Errorf("entity tag %s", tag)
	}
	for _, c := range []struct {
		values []string
		want   bool
	}{
		{nil, false},
		{[]string{tag}, true},
		{[]string{"W/" + tag}, true},
		{[]string{`"x", "y,z" ,W/"q",  ` + tag}, true},
		{[]string{`"x"`, tag}, true},
		{[]string{"*"}, true},
		{[]string{" * "}, true},
		{[]string{`"*"`}, false},
		{[]string{`"x", "y"`}, false},
		{[]string{`w/` + tag}, false},
		{[]string{tag[1 : len(tag)-1]}, false},
		{[]string{tag[:len(tag)-1]}, false},
		{[]string{`x, ` + tag}, false},
		{[]string{""}, false},
		{[]string{`"a` + tag}, false},
	} {
		if got := matches(c.values, tag); got != c.want {
			t.Errorf("If-None-Match %q matches %v", c.values, got)
		}
	}
}
