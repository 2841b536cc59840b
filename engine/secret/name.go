package secret

import "strings"

// likelihood is how likely a name is that of a secret.
type likelihood int

const (
	unlikely likelihood = iota
	possible            // a part of the name is, as in KEYCLOAK_REALM, TOKENIZER and key-deserializer
	certain             // API_KEY, dbPassword, app.api.authorization
)

var (
	// secretPart matches parts of names that indicate secrets, and secretName names of secrets: what the name ends with is secret, but for the
	// environment or the form of it. notSecret matches exceptions. All match what plainly returns.
	secretPart = lazily(`key|token|secret|passw|passphrase|pwd|(^|_)pass(_|$)|credential|auth|(^|_)(pat|jwt|dsn|salt|cookie|session|bearer|webhook|signature|signing)(_|$)|private|license|connection_?string|conn_?str`)
	secretName = lazily(`secret|passw|passphrase|pwd|(^|_)pass(_|$)|credential|` +
		`(key|token(_id)?|auth|authorization|(^|_)(pat|jwt|dsn|salt|cookie|session|bearer|webhook|signature|signing)|connection_?string|conn_?str)s?` +
		`(_?[0-9]+|_(test|dev|development|prod|production|live|staging|base|value|text|data|old|new|current|previous|primary|secondary|default|backup|admin|root|base64|b64|hex|pem))*$`)
	notSecret = lazily(`_(file|path|dir|name|user|username|url|uri|host|hostname|port|type|mode|sock|socket|domain|email|method|ttl|timeout|length|size|count|version|region|realm|endpoint|algorithm|alg|provider|issuer|audience|scope)$|` +
		`^(pwd|oldpwd|xauthority|keymap|ssh_auth_sock|goauth|authorized_keys|.*keyboard.*)$`)
	// author matches a word that auth is a part of.
	author = lazily(`(^|_)author(s|ed|_name|_email|_date)?(_|$)`)
)

// likelihoodOf returns how likely a name is that of a secret.
func likelihoodOf(name string) likelihood {
	name = author().ReplaceAllString(plainly(name), "_")
	switch {
	case !secretPart().MatchString(name), notSecret().MatchString(name):
		return unlikely
	case secretName().MatchString(name):
		return certain
	}
	return possible
}

// plainly returns a name in lower case, with underscores between its words: api_key for apiKey, api.key and API-KEY.
func plainly(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch {
		case !alphanumeric[name[i]]:
			b.WriteByte('_')
			continue
		case i > 0 && classOf(name[i]) == capital && alphanumeric[name[i-1]] && classOf(name[i-1]) == small:
			b.WriteByte('_')
		}
		b.WriteByte(name[i])
	}
	return strings.ToLower(b.String())
}
