package imports

import (
	"strconv"
	"strings"
)

// toml holds what a TOML file says in words: the values of each key, by "table" and "key". Of an inline table
// {a = "b"} the values stand below "key.a". It knows as much of TOML as the files of build tools need, and takes
// what it does not know for nothing; it never fails.
type toml map[string]map[string][]string

func (t toml) list(table, key string) []string { return t[table][key] }

// word returns the first string of a key.
func (t toml) word(table, key string) string {
	if list := t[table][key]; len(list) > 0 {
		return list[0]
	}
	return ""
}

func readTOML(content []byte) toml {
	config := toml{}
	s := &tomlScanner{text: string(content)}
	table := ""
	for s.skipTo() {
		if s.text[s.at] == '[' {
			table = s.header()
			config.table(table)
			continue
		}
		key := s.key()
		if !s.take('=') || s.ended() {
			s.line()
			continue
		}
		s.value(key, 0, func(key, text string) {
			into := config.table(table)
			into[key] = append(into[key], text)
		})
		s.line()
	}
	return config
}

func (t toml) table(name string) map[string][]string {
	if t[name] == nil {
		t[name] = map[string][]string{}
	}
	return t[name]
}

// tomlScanner reads TOML from left to right. list sees to it that reading moves on.
type tomlScanner struct {
	text string
	at   int
}

// skipTo skips spaces, line ends and comments, and reports whether there is more.
func (s *tomlScanner) skipTo() bool {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		case '#':
			s.line()
		default:
			return true
		}
	}
	return false
}

// line skips the rest of a line.
func (s *tomlScanner) line() {
	if end := strings.IndexByte(s.text[s.at:], '\n'); end >= 0 {
		s.at += end + 1
		return
	}
	s.at = len(s.text)
}

// header reads "[table]" or "[[table]]".
func (s *tomlScanner) header() string {
	from := s.at
	s.line()
	name, _, _ := strings.Cut(strings.TrimLeft(s.text[from:s.at], "["), "]")
	return tomlKey(name)
}

// key reads up to "=", or the end of the line.
func (s *tomlScanner) key() string {
	from := s.at
	if length := strings.IndexAny(s.text[s.at:], "=\n"); length >= 0 {
		s.at += length
	} else {
		s.at = len(s.text)
	}
	return tomlKey(s.text[from:s.at])
}

// tomlKey writes a dotted key without spaces and quotes.
func tomlKey(written string) string {
	parts := strings.Split(written, ".")
	for i, part := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(part), `"'`)
	}
	return strings.Join(parts, ".")
}

func (s *tomlScanner) take(mark byte) bool {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == mark {
		s.at++
		return true
	}
	return false
}

// maxTOMLDepth bounds how deep values lie in each other.
const maxTOMLDepth = 32

// ended reports whether nothing more stands on a line.
func (s *tomlScanner) ended() bool {
	rest, _, _ := strings.Cut(s.text[s.at:], "\n")
	return strings.TrimSpace(rest) == ""
}

// value reads what follows "=": its words, each with the key it stands below.
func (s *tomlScanner) value(key string, depth int, found func(key, text string)) {
	if !s.skipTo() {
		return
	}
	switch c := s.text[s.at]; {
	case c == '"' || c == '\'':
		found(key, s.quoted())
	case c == '[' && depth < maxTOMLDepth:
		s.list(']', func() { s.value(key, depth+1, found) })
	case c == '{' && depth < maxTOMLDepth:
		s.list('}', func() {
			name := key + "." + s.key()
			if s.take('=') {
				s.value(name, depth+1, found)
			}
		})
	default:
		if word := s.bare(); word != "" {
			found(key, word)
		}
	}
}

// list reads what stands between an opening mark and its end, with commas between.
func (s *tomlScanner) list(end byte, element func()) {
	s.at++
	for s.skipTo() {
		switch s.text[s.at] {
		case end:
			s.at++
			return
		case ',':
			s.at++
		default:
			from := s.at
			element()
			if s.at == from {
				s.at++ // what cannot be an element
			}
		}
	}
}

// bare reads a value without quotes: a number, a date, true.
func (s *tomlScanner) bare() string {
	from := s.at
	if length := strings.IndexAny(s.text[s.at:], ",]}#\n"); length >= 0 {
		s.at += length
	} else {
		s.at = len(s.text)
	}
	return strings.TrimSpace(s.text[from:s.at])
}

// quoted reads a string. One that has no end on its line ends with it.
func (s *tomlScanner) quoted() string {
	mark := s.text[s.at]
	if triple := strings.Repeat(string(mark), 3); strings.HasPrefix(s.text[s.at:], triple) {
		body, _, _ := strings.Cut(s.text[s.at+3:], triple)
		s.at = min(len(s.text), s.at+len(body)+6)
		return body
	}
	from := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != mark && s.text[s.at] != '\n'; s.at++ {
		if s.text[s.at] == '\\' && mark == '"' {
			s.at++
		}
	}
	s.at = min(s.at, len(s.text))
	body := s.text[from+1 : max(from+1, s.at)]
	if s.at < len(s.text) && s.text[s.at] == mark {
		s.at++
	}
	if text, err := strconv.Unquote(`"` + body + `"`); err == nil && mark == '"' {
		return text
	}
	return body
}
