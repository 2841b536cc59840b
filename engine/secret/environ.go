package secret

import (
	"math"
	"net/url"
	"strings"
)

// LearnEnviron learns the variables of an environment (in the form of os.Environ) whose names indicate a secret, and
// passwords in URLs under any name.
func (r *Redactor) LearnEnviron(environ []string) {
	var values []Value
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		values = append(values, assigned(name, value)...)
	}
	r.Learn(values...)
}

// assigned returns the secret parts of a named value.
func assigned(name, value string) []Value {
	value = strings.TrimSpace(value)
	if password := passwordIn(value); password != "" {
		return []Value{{name, password}}
	}
	if saysSecret(name) && isSecretValue(value) {
		return []Value{{name, value}}
	}
	return nil
}

// passwordIn returns the password of a URL, or its user part without a password, as in git URLs with tokens.
func passwordIn(value string) string {
	if !strings.Contains(value, "://") {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return ""
	}
	if password, is := u.User.Password(); is {
		if isWord(password) {
			return ""
		}
		return password
	}
	if user := u.User.Username(); isRandom(user) {
		return user
	}
	return ""
}

var (
	// secretName matches parts of names that indicate secrets. plainName matches exceptions.
	secretName = lazily(`(?i)key|token|secret|passw|passphrase|pwd|(^|_)pass(_|$)|credential|auth|(^|[_.-])(pat|jwt|dsn|salt|cookie|session|bearer|webhook|signature|signing)([_.-]|$)|private|license|connection_?string|conn_?str`)
	plainName  = lazily(`(?i)(_|-|\.)(file|path|dir|name|user|username|url|uri|host|port|type|mode|sock|socket|domain|email|method|ttl|timeout|length|size|count|version|region|algorithm|alg|provider|issuer|audience|scope)$|^(pwd|oldpwd|xauthority|keymap|ssh_auth_sock|goauth|.*author.*|.*keyboard.*)$`)
)

func saysSecret(name string) bool {
	return secretName().MatchString(name) && !plainName().MatchString(name)
}

// isSecretValue excludes other values of variables with such names: switches, numbers, paths, words.
func isSecretValue(value string) bool {
	switch {
	case len(value) < minLearned, isPath(value), isWord(value), strings.Contains(value, "://"), isReference(value):
		return false
	}
	return entropy(value) >= 2.5
}

// isPath reports whether a value is a file name. Base64 may also begin with a slash, but has no dot, and no two parts that are
// words.
func isPath(value string) bool {
	if strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") {
		return true
	}
	return strings.HasPrefix(value, "/") && !isRandom(value)
}

// isReference reports whether a value only refers to a secret: ${TOKEN}, $(cmd), <your token>, {{ token }}.
func isReference(value string) bool {
	return strings.HasPrefix(value, "$") && strings.ContainsAny(value, "{(") || strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") ||
		strings.HasPrefix(value, "{{") || strings.Trim(value, "*xX.") == ""
}

// isWord reports whether a value may be a name or a number in any text: few lower-case letters, or digits.
func isWord(value string) bool {
	letters, figures, others := 0, 0, 0
	for _, c := range value {
		switch {
		case 'a' <= c && c <= 'z' || c == '-' || c == '_' || c == '.':
			letters++
		case '0' <= c && c <= '9':
			figures++
		default:
			others++
		}
	}
	return others == 0 && (figures == 0 && letters < 20 || letters == 0 && figures < 12)
}

// isRandom reports whether a value is not handwritten: letters and digits mixed, with high entropy.
func isRandom(value string) bool {
	return len(value) >= 16 && entropy(value) >= 3.2 && strings.ContainsAny(value, "0123456789") &&
		strings.ContainsAny(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz")
}

// entropy returns Shannon's entropy, in bits per character.
func entropy(text string) (bits float64) {
	if text == "" {
		return 0
	}
	counts := map[rune]int{}
	for _, c := range text {
		counts[c]++
	}
	whole := 1 / float64(len(text))
	for _, n := range counts {
		share := float64(n) * whole
		bits -= share * math.Log2(share)
	}
	return bits
}
