package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"reckon/commands"
	"reckon/commands/outside"
	"reckon/events"
	"reckon/projections"
)

// verify checks a signature as a receiver does that knows nothing of Reckon.
func verify(t *testing.T, r received, secret string) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) != 32 {
		t.Fatalf("the secret is not base64 of 32 bytes: %v", err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(r.id + "." + r.stamp + "." + r.body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, s := range strings.Split(r.signatures, " ") {
		if hmac.Equal([]byte(s), []byte(want)) {
			return
		}
	}
	t.Errorf("no signature is by the secret: %q", r.signatures)
}

// TestSignature computes the example of the specification of Standard Webhooks.
func TestSignature(t *testing.T) {
	h := nethttp.Header{}
	sign(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
	for name, want := range map[string]string{
		"webhook-id":        "msg_p5jXN8AQM9LWM0D4loKWxJek",
		"webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 5, 14, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "-1": 0, "soon": 0, "99999999999999999999": 0, "2000000000": maxAfter,
		"Thu, 05 Mar 2026 14:10:00 GMT": 10 * time.Minute, "Thu, 05 Mar 2020 14:10:00 GMT": 0, "Thu, 05 Mar 2099 14:10:00 GMT": maxAfter,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestGuarded holds that nothing is sent to a private network, by whichever name, also where a name
// was public when the webhook was made.
func TestGuarded(t *testing.T) {
	r := newReceiver(t, status(200))
	_, port, err := net.SplitHostPort(r.Listener.Addr().String())
	must(t, err)
	for _, url := range []string{
		r.URL, "https://127.0.0.1:" + port, "https://localhost:" + port, "https://[::ffff:127.0.0.1]:" + port, "https://169.254.169.254/latest/meta-data", "https://2130706433:" + port,
	} {
		a := NewPost(false).send(t.Context(), url, uuid.New(), []byte("{}"), nil)
		if a.status != 0 || a.problem != outside.ErrPrivate.Error() && a.problem != outside.ErrPlain.Error() && a.problem != "its name is not found" {
			t.Errorf("%s: %+v", url, a)
		}
	}
	if a := NewPost(true).send(t.Context(), "http://8.8.8.8/", uuid.New(), []byte("{}"), nil); a.problem != outside.ErrPlain.Error() {
		t.Errorf("a public address is asked without TLS: %+v", a)
	}
	if len(r.got()) != 0 {
		t.Error("it is asked")
	}
}

// TestTry holds that a test is sent at once, signed, also to a webhook that is disabled, and counts
// for nothing; and that what was sent is sent again with the same id.
func TestTry(t *testing.T) {
	n := newNode(t, t.TempDir())
	account := n.account(t, "acme")
	r := newReceiver(t, func(w nethttp.ResponseWriter, _ *nethttp.Request, n int) {
		if n == 0 {
			w.WriteHeader(500)
		}
	})
	id, secret := n.hook(t, "acme", r.URL)
	must(t, n.admin.DisableWebhook(t.Context(), id, ""))
	w := n.state(t, "acme", id)
	for i, want := range []string{events.Failed, events.Delivered} {
		o, err := n.sender.post.Test(t.Context(), n.log, account.ID, w, uuid.New())
		if err != nil || o.Result != want || o.Failures != 0 {
			t.Errorf("test %d: %+v %v", i, o, err)
		}
		verify(t, r.got()[i], secret)
		if body := r.got()[i].body; !strings.Contains(body, `"webhook.test"`) || !strings.Contains(body, id.String()) {
			t.Errorf("test %d: %s", i, body)
		}
	}
	must(t, n.admin.EnableWebhook(t.Context(), id))
	must(t, n.views.Fresh(t.Context()))
	n.send(t)
	m := n.ask(t, account, good)
	n.outcomes(t, account.ID, id, 3)
	_, err := Resend(t.Context(), n.log, account.ID, n.state(t, "acme", id), events.DeliveryID(id, m.MessageID))
	must(t, err)
	if list := n.outcomes(t, account.ID, id, 4); !list[0].Resent || list[0].Result != events.Delivered || r.got()[3].id != r.got()[2].id || r.got()[3].body != r.got()[2].body {
		t.Errorf("%+v", list[0])
	}
	if _, err := Resend(t.Context(), n.log, account.ID, w, uuid.New()); err != commands.ErrNone {
		t.Errorf("what was never sent: %v", err)
	}
}

// TestForeign holds that a log that was copied elsewhere signs nothing, and says so.
func TestForeign(t *testing.T) {
	now := time.Now()
	key, id := []byte("a key of one installation"), uuid.New()
	secret, hash := commands.WebhookSecret(key, id, 2)
	_, before := commands.WebhookSecret(key, id, 1)
	w := projections.Webhook{ID: id, Generation: 2, Hash: hash, Earlier: &projections.Secret{Hash: before, Until: now.Add(time.Hour)}}
	if secrets, err := commands.WebhookSecrets(key, w, now); err != nil || len(secrets) != 2 || secrets[0] != secret {
		t.Errorf("%v %v", secrets, err)
	}
	if secrets, err := commands.WebhookSecrets(key, w, now.Add(time.Hour)); err != nil || len(secrets) != 1 {
		t.Errorf("behind the overlap: %v %v", secrets, err)
	}
	if secrets, err := commands.WebhookSecrets([]byte("another"), w, now); err == nil || len(secrets) != 0 {
		t.Errorf("with another key: %v %v", secrets, err)
	}
}
