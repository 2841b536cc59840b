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

var (
	// header matches the value of a header with credentials, and connection the password in a list of settings of a connection.
	header     = lazily(`(?i)^(?:bearer|basic|token)\s+(\S+)$`)
	connection = lazily(`(?i)[;&?\s](?:password|pwd)\s*=\s*["']?([^;&"'\s]+)|,(?:password|pwd)=([^,;"'\s]+)`)
)

// assigned returns the secret parts of a named value.
func assigned(name, value string) (found []Value) {
	value = strings.TrimSpace(value)
	if password := passwordIn(value); password != "" {
		return []Value{{name, password}}
	}
	if m := connection().FindStringSubmatch(value); m != nil && isSecretValue(m[1]+m[2]) {
		found = append(found, Value{name, m[1] + m[2]})
	}
	likely := likelihoodOf(name)
	if m := header().FindStringSubmatch(value); m != nil {
		value, likely = m[1], certain
	}
	if isSecretValue(value) && (likely == certain || likely == possible && !isOrdinary(value)) {
		found = append(found, Value{name, value})
	}
	return found
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

// isSecretValue excludes other values of variables with such names: switches, numbers, paths, words, classes.
func isSecretValue(value string) bool {
	switch {
	case len(value) < minLearned, isPath(value), isWord(value), isClass(value), strings.Contains(value, "://"), isReference(value):
		return false
	}
	return entropy(value) >= 2.5
}

// isPath reports whether a value is a file name. Base64 may also begin with a slash, but does not consist of words.
func isPath(value string) bool {
	if strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../") {
		return true
	}
	return strings.HasPrefix(value, "/") && (!isRandom(value) || isOrdinary(value)) || keyFile().MatchString(value) && isOrdinary(value)
}

// keyFile matches names of files that contain keys.
var keyFile = lazily(`(?i)^[\w./\\:-]+\.(pem|key|crt|cer|der|p8|p12|pfx|jks|keystore|json|ya?ml|txt|asc|gpg|pub)$`)

// isClass reports whether a value is the qualified name of a class.
func isClass(value string) bool {
	last := strings.LastIndexByte(value, '.') + 1
	return strings.Count(value, ".") > 1 && last < len(value) && 'A' <= value[last] && value[last] <= 'Z' && className().MatchString(value) && isOrdinary(value)
}

var className = lazily(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$`)

// isReference reports whether a value only refers to a secret: ${TOKEN}, $(cmd), <your token>, {{ token }}.
func isReference(value string) bool {
	return strings.HasPrefix(value, "$") && strings.ContainsAny(value, "{(") || strings.HasPrefix(value, "<") && strings.HasSuffix(value, ">") ||
		strings.HasPrefix(value, "{{") || strings.Trim(value, "*xX.") == ""
}

// isWord reports whether a value may be a name or a number in any text: few lower-case letters, also after a capital, or digits.
func isWord(value string) bool {
	if capitalised().MatchString(value) {
		value = strings.ToLower(value)
	}
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

var capitalised = lazily(`^[A-Z][a-z]+$`)

// isRandom reports whether a value is not handwritten: letters and digits mixed, with high entropy.
func isRandom(value string) bool {
	return len(value) >= 16 && entropy(value) >= 3.2 && strings.ContainsAny(value, "0123456789") &&
		strings.ContainsAny(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz")
}

// isKey reports whether a value is a secret under any name.
func isKey(value string) bool {
	return isRandom(value) && !isOrdinary(value) && !strings.ContainsAny(value, " \t")
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
