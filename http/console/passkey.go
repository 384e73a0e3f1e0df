package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	nethttp "net/http"
	"net/url"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"reckon/commands"
	"reckon/http"
	"reckon/projections"
)

// newPasskeys is what passkeys are made and checked with for a public address. It is nil where
// browsers make none: without TLS on another host than localhost, and on one that has no name.
func newPasskeys(public *url.URL) (*webauthn.WebAuthn, error) {
	host := public.Hostname()
	if public.Scheme != "https" && host != "localhost" || net.ParseIP(host) != nil {
		return nil, nil
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: "Reckon", RPOrigins: []string{public.Scheme + "://" + public.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(), UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("make passkeys possible at %s: %w", public.Redacted(), err)
	}
	return w, nil
}

// holder is a user as devices and the library know them.
type holder struct{ projections.User }

func (h holder) WebAuthnID() []byte          { return h.ID[:] }
func (h holder) WebAuthnName() string        { return h.Email }
func (h holder) WebAuthnDisplayName() string { return h.Email }

func (h holder) WebAuthnCredentials() []webauthn.Credential {
	list := []webauthn.Credential{}
	for _, p := range h.Passkeys {
		transports := []protocol.AuthenticatorTransport{}
		for _, t := range p.Transports {
			transports = append(transports, protocol.AuthenticatorTransport(t))
		}
		list = append(list, webauthn.Credential{
			ID: p.Credential, PublicKey: p.PublicKey, Transport: transports,
			Flags:         webauthn.CredentialFlags{UserPresent: true, UserVerified: true, BackupEligible: p.BackupEligible},
			Authenticator: webauthn.Authenticator{SignCount: p.Counter},
		})
	}
	return list
}

// making is what a browser makes a passkey by, and the session that its answer is checked with.
func (c *Console) making(of projections.User, challenge []byte) (*protocol.CredentialCreation, *webauthn.SessionData, error) {
	h := holder{of}
	return c.passkeys.BeginRegistration(h, webauthn.WithExclusions(webauthn.Credentials(h.WebAuthnCredentials()).CredentialDescriptors()),
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge = challenge
			o.Timeout = int(commands.ChallengeLasts.Milliseconds())
			return nil
		})
}

// asking is what a browser signs in by, and the session that its answer is checked with.
func (c *Console) asking(challenge []byte) (*protocol.CredentialAssertion, *webauthn.SessionData, error) {
	return c.passkeys.BeginDiscoverableLogin(webauthn.WithChallenge(challenge), func(o *protocol.PublicKeyCredentialRequestOptions) error {
		o.UserVerification = protocol.VerificationRequired
		o.Timeout = int(commands.ChallengeLasts.Milliseconds())
		return nil
	})
}

// noPasskeys is what is said where the public address is none for passkeys.
var noPasskeys = http.NotFound("There are no passkeys at this address: they need the console's public address to be https with a name, or localhost.")

// told is an answer to a script of the console.
func told(status int, body any) (http.Answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return http.Answer{}, fmt.Errorf("tell a script: %w", err)
	}
	return http.Answer{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: text}, nil
}

// beginPasskey answers a script with what a new passkey is made by.
func (c *Console) beginPasskey(v *visit) (http.Answer, error) {
	if c.passkeys == nil {
		return http.Answer{}, noPasskeys
	}
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	ctx, cancel := within(v)
	defer cancel()
	challenge, err := c.auth.BeginPasskey(ctx, v.user, v.session, form.Get("password"), v.address)
	if status, is := refusal(v, err); is {
		wrong := sentence(err)
		if errors.Is(err, commands.ErrCredentials) {
			wrong = notYours
		}
		return told(status, map[string]string{"wrong": wrong})
	}
	if err != nil {
		return http.Answer{}, late(err)
	}
	options, _, err := c.making(v.user, challenge)
	if err != nil {
		return http.Answer{}, fmt.Errorf("begin a passkey: %w", err)
	}
	return told(0, options.Response)
}

// unfit is what is said of an answer of a device that is not one to what was asked.
const unfit = "What the device answered is not for this console, or not to what it was asked. Try again."

// addPasskey keeps a passkey that a browser has made.
func (c *Console) addPasskey(v *visit) (http.Answer, error) {
	if c.passkeys == nil {
		return http.Answer{}, noPasskeys
	}
	form, err := v.form()
	if err != nil {
		return http.Answer{}, err
	}
	shown := youShown{Name: form.Get("name")}
	made, challenge, err := c.made(v, form.Get("response"))
	if err == nil {
		err = c.auth.AddPasskey(v.x.Request().Context(), v.user, v.session, commands.NewPasskey{
			Name: shown.Name, Credential: made.ID, PublicKey: made.PublicKey, Transports: transports(made), BackupEligible: made.Flags.BackupEligible,
			Counter: made.Authenticator.SignCount, Challenge: challenge,
		})
	}
	if status, is := refusal(v, err); is {
		v.faulty(err)
		return c.you(v, status, shown)
	}
	if wrong := (*protocol.Error)(nil); errors.As(err, &wrong) {
		c.config.Logger.Warn("a passkey was refused", "error", wrong)
		v.fault(unfit)
		return c.you(v, nethttp.StatusForbidden, shown)
	}
	if err != nil {
		return http.Answer{}, err
	}
	return redirect(Path + "/you"), nil
}

// made is the passkey that a browser's response proves, and the challenge that it answers. It fails
// with a protocol.Error for what proves nothing.
func (c *Console) made(v *visit, response string) (*webauthn.Credential, []byte, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(response))
	if err != nil {
		return nil, nil, err
	}
	challenge, err := challengeOf(parsed.Response.CollectedClientData)
	if err != nil {
		return nil, nil, err
	}
	if err := c.auth.Answers(challenge, v.session); err != nil {
		return nil, nil, err
	}
	_, session, err := c.making(v.user, challenge)
	if err != nil {
		return nil, nil, err
	}
	made, err := c.passkeys.CreateCredential(holder{v.user}, *session, parsed)
	return made, challenge, err
}

func transports(made *webauthn.Credential) (list []string) {
	for _, t := range made.Transport {
		list = append(list, string(t))
	}
	return list
}

func challengeOf(data protocol.CollectedClientData) ([]byte, error) {
	var challenge protocol.URLEncodedBase64
	if err := challenge.UnmarshalJSON([]byte(`"` + data.Challenge + `"`)); err != nil {
		return nil, protocol.ErrBadRequest.WithDetails("The challenge is not in base64url")
	}
	return challenge, nil
}

// removePasskey ends a passkey of who asks.
func (c *Console) removePasskey(v *visit) (http.Answer, error) {
	id, err := v.named()
	if err != nil {
		return http.Answer{}, err
	}
	err = c.auth.RemovePasskey(v.x.Request().Context(), v.user, id)
	if errors.Is(err, commands.ErrNone) {
		return http.Answer{}, http.NotFound("There is no such passkey among yours.")
	}
	if err != nil {
		return http.Answer{}, err
	}
	return redirect(Path + "/you"), nil
}

// beginSignIn answers a script with what a passkey signs in by.
func (c *Console) beginSignIn(*visit) (http.Answer, error) {
	if c.passkeys == nil {
		return http.Answer{}, noPasskeys
	}
	options, _, err := c.asking(c.auth.SignInChallenge())
	if err != nil {
		return http.Answer{}, fmt.Errorf("begin to sign in by a passkey: %w", err)
	}
	return told(0, options.Response)
}

// signInByPasskey signs in whoever has the passkey that a browser's response proves.
func (c *Console) signInByPasskey(v *visit) (http.Answer, error) {
	if c.passkeys == nil {
		return http.Answer{}, noPasskeys
	}
	form, err := v.formOf(maxKept)
	if err != nil {
		return http.Answer{}, err
	}
	next, kept := form.Get("next"), form.Get("kept")
	user, used, err := c.used(v, form.Get("response"))
	secret := ""
	if err == nil {
		_, secret, err = c.auth.ByPasskey(v.x.Request().Context(), user, used)
	}
	if errors.Is(err, commands.ErrCopied) {
		c.config.Logger.Warn("a passkey may have been copied: its counter of signatures did not go on", "user_id", user.ID.String(), "passkey_id", used.ID.String())
	}
	if status, is := refusal(v, err); is {
		v.faulty(err)
		return c.page("signin", v, status, c.signInShown(signInShown{Next: next, Kept: kept}))
	}
	if wrong := (*protocol.Error)(nil); errors.As(err, &wrong) {
		c.config.Logger.Warn("a passkey was refused", "error", wrong)
		v.fault(unfit)
		return c.page("signin", v, nethttp.StatusForbidden, c.signInShown(signInShown{Next: next, Kept: kept}))
	}
	if err != nil {
		return http.Answer{}, err
	}
	return c.enterWith(v, secret, form)
}

// used is whose passkey a browser's response proves, and which. It fails as made does.
func (c *Console) used(v *visit, response string) (user projections.User, used commands.UsedPasskey, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(response))
	if err != nil {
		return user, used, err
	}
	challenge, err := challengeOf(parsed.Response.CollectedClientData)
	if err != nil {
		return user, used, err
	}
	user, err = c.auth.PasskeyUser(v.x.Request().Context(), challenge, parsed.RawID, parsed.Response.UserHandle)
	if err != nil {
		return user, used, err
	}
	_, session, err := c.asking(challenge)
	if err != nil {
		return user, used, err
	}
	_, proved, err := c.passkeys.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return holder{user}, nil }, *session, parsed)
	if err != nil {
		return user, used, err
	}
	passkey, _ := user.PasskeyWith(proved.ID)
	return user, commands.UsedPasskey{ID: passkey.ID, Counter: parsed.Response.AuthenticatorData.Counter, Challenge: challenge}, nil
}
