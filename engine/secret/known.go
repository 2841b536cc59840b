package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Value is a secret with the name of its source.
type Value struct{ Name, Text string }

// minLearned is the length in bytes below which a value is not learned: too much else would be replaced.
const minLearned = 8

// Learn learns values, in every form in which they are likely to occur in a text. It skips values of less than 8 bytes.
// Each line of a value is a separate secret, because a diff shows lines one by one.
func (r *Redactor) Learn(values ...Value) {
	if !r.isOff() {
		r.learn(values)
	}
}

func (r *Redactor) learn(values []Value) (grown bool) {
	if len(values) == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range values {
		for _, line := range lines(v.Text) {
			if _, is := r.known[line]; !is && len(r.known) < maxKnown {
				r.known[line] = v.Name
				grown = true
			}
		}
	}
	if grown {
		r.exact = newNeedles(formsOf(r.known))
	}
	return grown
}

// maxKnown limits the known values: a file of nothing but keys must not fill the memory.
const maxKnown = 20_000

// lines returns the parts of a value that are secrets by themselves.
func lines(value string) []string {
	value = strings.TrimSpace(value)
	if !strings.Contains(value, "\n") {
		if len(value) < minLearned {
			return nil
		}
		return []string{value}
	}
	var all []string
	for line := range strings.Lines(value) {
		line = strings.Trim(line, " \t\r\n\"'`+\\")
		if len(line) >= 2*minLearned && !strings.HasPrefix(line, "-----") {
			all = append(all, line)
		}
	}
	return all
}

// formsOf returns all forms of known values.
func formsOf(known map[string]string) (all []needle) {
	for _, value := range slices.Sorted(maps.Keys(known)) {
		name := known[value]
		for _, text := range plainForms(value) {
			all = append(all, needle{text: text, name: name, value: value})
		}
		for _, text := range base64Forms(value) {
			all = append(all, needle{text: text, name: name, value: value, encoded: true})
		}
	}
	return all
}

// plainForms returns a value as it is, in a URL, in JSON or source code, and in hexadecimal digits.
func plainForms(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value), digits, strings.ToUpper(digits)}
	if quoted, err := json.Marshal(value); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) == nil {
		quoted := strings.TrimSuffix(b.String(), "\n")
		forms = append(forms, quoted[1:len(quoted)-1])
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// base64Forms returns the constant parts of a value's base64 inside a longer text, which has three alignments
// depending on the text before it.
func base64Forms(value string) []string {
	var forms []string
	for shift := range 3 {
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
			first := (shift*8 + 5) / 6           // characters that also depend on the text before
			last := (shift + len(value)) * 8 / 6 // those that do not depend on the text after
			if text = text[first:last]; len(text) >= minLearned {
				forms = append(forms, text)
			}
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// learnMatched learns the matches of rules in a text, and reports whether any was new.
func (r *Redactor) learnMatched(text string, matched []span) (learned bool) {
	var values []Value
	for _, s := range matched {
		value := text[s.start:s.end]
		if strings.Contains(value, "\n") || len(value) >= 2*minLearned && isRandom(value) {
			values = append(values, Value{s.name, value})
		}
	}
	return r.learn(values)
}
