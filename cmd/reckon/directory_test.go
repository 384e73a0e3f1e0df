package main

import "testing"

// TestFlagsLeadToTheSameLog: a command that a message names works where the one that prints it did.
func TestFlagsLeadToTheSameLog(t *testing.T) {
	for want, d := range map[string]directory{
		"--data /var/lib/reckon": {Data: "/var/lib/reckon"},
		"--data '/home/a b'":     {Data: "/home/a b"},
		"--data .reckon --nats-url nats://a:4222,tls://b:4222 --nats-creds '/etc/my creds' --nats-ca /etc/ca.crt": {
			Data: ".reckon", NATSURL: []string{"nats://a:4222", "tls://b:4222"}, NATSCreds: "/etc/my creds", NATSCA: "/etc/ca.crt",
		},
		"--data .reckon --nats-url nats://u:xxxxx@a:4222": {Data: ".reckon", NATSURL: []string{"nats://u:secret@a:4222"}},
	} {
		if got := d.flags(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
