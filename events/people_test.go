package events

import (
	"reflect"
	"testing"
)

// Whatever is no message is administered, and has a place for who did it.
func TestAdministrationHasAnActor(t *testing.T) {
	for name, typ := range Types() {
		data := reflect.New(typ).Interface()
		_, prompt := data.(*PromptStored)
		if message := (Event{Data: data}).Message() != nil; message || prompt {
			continue
		}
		administered, is := data.(Administration)
		if !is {
			t.Errorf("%s has no actor", name)
			continue
		}
		administered.Sign(Actor{How: ByShell, Name: "first"})
		administered.Sign(Actor{How: ByShell, Name: "second"})
		if by := administered.Actor(); by == nil || by.Name != "first" {
			t.Errorf("%s is signed by %+v", name, by)
		}
	}
}
