package permission

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// judgeCode judges code that an interpreter is given. Code is Known if it only calls what tables/words.txt lists for its language;
// anything else is doubtful, and therefore critical.
func judgeCode(lang, code string) Danger {
	switch {
	case lang == "sh":
		return judgeScript(opened(code), 0)
	case secretIn([]string{code}):
		return critical("secret")
	case lang == "python" || lang == "javascript":
		if callsOnly(lang, code) {
			return Danger{}
		}
	case wordsOnly(lang, code):
		return Danger{}
	}
	return critical("code")
}

var (
	quoted = lazyregexp.New(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)
	called = lazyregexp.New(`([\w$]+)\s*\(`)
	bound  = lazyregexp.New(`([\w$]+)\s*=[^=>]|\bas\s+([\w$]+)|\b(?:function|def|class)\s+([\w$]+)`)
	// indirect are calls of what is no name, names that reach the interpreter itself, and decorators.
	indirect   = lazyregexp.New("[)\\]}`]\\s*\\(|\\?\\.\\(|__|^\\s*@|\\n\\s*@|`|\x00|\\\\u|\\\\x|;\\s*@")
	required   = lazyregexp.New(`\brequire(\.resolve)?\s*\(\s*("[^"]*"|'[^']*')\s*\)`)
	dunder     = lazyregexp.New(`__(version|name|file|doc|main)__`)
	word       = lazyregexp.New(`[A-Za-z_][\w]*`)
	pattern    = lazyregexp.New(`\b(?:s|tr|y)/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/[gimsx]*|\b(?:m|qr)?/(?:[^/\\]|\\.)*/[gimsx]*`)
	valueCalls = lazyregexp.New(`[$&]\w+\s*\(|[\])}]\s*\(|\b0\s*\(|&\$`)
	bars       = lazyregexp.New(`\b(?:s|tr|y)\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|[gimsx]*`)
)

// callsOnly judges a language in which every call has parentheses.
func callsOnly(lang, code string) bool {
	allowed, forbidden := vocabulary(lang), vocabulary(lang+"-never")
	literals := quoted.FindAllString(code, -1)
	for _, l := range literals {
		if text := strings.TrimPrefix(strings.Trim(l, `"'`), "node:"); slices.Contains(forbidden, text) || strings.HasPrefix(text, "data:") || outside(text) && strings.ContainsAny(text, "/\\") && !strings.ContainsAny(text, " \n") {
			return false
		}
	}
	code = dunder.ReplaceAllString(required.ReplaceAllString(code, "required"), "name")
	code = quoted.ReplaceAllString(code, "0")
	if indirect.MatchString(code) {
		return false
	}
	for _, m := range called.FindAllStringSubmatch(code, -1) {
		if !slices.Contains(allowed, m[1]) {
			return false
		}
	}
	for _, m := range bound.FindAllStringSubmatch(code, -1) {
		if slices.ContainsFunc(m[1:], func(name string) bool { return name != "" && slices.Contains(allowed, name) }) {
			return false
		}
	}
	return !slices.ContainsFunc(word.FindAllString(code, -1), func(w string) bool { return slices.Contains(forbidden, w) })
}

// wordsOnly judges a language in which a bare word may be a call.
func wordsOnly(lang, code string) bool {
	if strings.ContainsAny(code, "`"+computed) || strings.Contains(code, "#{") || strings.Contains(code, "@{") || strings.Contains(code, "${") || strings.Contains(code, "%x") {
		return false
	}
	code = bars.ReplaceAllString(pattern.ReplaceAllString(code, "0"), "0")
	for _, l := range quoted.FindAllString(code, -1) {
		if text := strings.Trim(l, `"'`); strings.HasPrefix(strings.TrimSpace(text), "|") || strings.HasSuffix(strings.TrimSpace(text), "|") || strings.HasPrefix(text, "/") {
			return false
		}
	}
	code = quoted.ReplaceAllString(code, "0")
	allowed := vocabulary(lang)
	return !strings.Contains(code, "|") && !valueCalls.MatchString(code) && !slices.ContainsFunc(word.FindAllString(code, -1), func(w string) bool { return len(w) > 1 && !slices.Contains(allowed, w) })
}

// vocabulary lists the words of a language.
func vocabulary(lang string) []string { return tables().vocabulary[lang] }

// scripts judges the script of sed, awk, PowerShell or cmd.exe that a call has.
func (s situation) scripts(how string) (f Danger) {
	all := s.m.values
	if !s.m.valued {
		all = s.a.operands[min(s.m.next, len(s.a.operands)):][:min(1, len(s.a.operands)-s.m.next)]
	}
	for _, text := range all {
		switch how {
		case "sed":
			f = f.and(judgeSed(text))
		case "windows":
			f = f.and(judgeWindows(s.name, strings.Join(append([]string{text}, s.a.list[slices.Index(s.a.list, text)+1:]...), " "), s.depth+1))
		default:
			f = f.and(judgeAwk(text))
		}
	}
	return f
}

var (
	awkPattern = lazyregexp.New(`(^|[(,~!{;&|]|\n)\s*/(?:[^/\\\n]|\\.)*/`)
	awkStarts  = lazyregexp.New(`\bsystem\b|\|&|[^|]\|[^|]|@|/inet/`)
	awkWrites  = lazyregexp.New(`>\s*("|[A-Za-z_$])`)
)

// judgeAwk judges a script of awk: it may start no command, and write nothing outside of the folder.
func judgeAwk(script string) Danger {
	literals := quoted.FindAllString(script, -1)
	bare := awkPattern.ReplaceAllString(quoted.ReplaceAllString(script, `""`), "$1 0")
	if awkStarts.MatchString(bare) || strings.Contains(script, "/inet/") {
		return critical("code")
	}
	for _, l := range literals {
		if f := writesTo(strings.Trim(l, `"'`)); f.Class == Critical && awkWrites.MatchString(bare) {
			return f
		}
	}
	return Danger{}
}

// judgeSed judges a script of sed: it may start no command, and write nothing outside of the folder.
func judgeSed(script string) Danger {
	for rest := script; rest != ""; {
		rest = sedAddress(rest)
		if rest == "" {
			break
		}
		letter := rest[0]
		rest = rest[1:]
		switch {
		case letter == 'e':
			return critical("code")
		case letter == 's' || letter == 'y':
			var flags string
			flags, rest = sedSubstitution(rest)
			if letter == 's' && strings.Contains(flags, "e") {
				return critical("code")
			}
			if _, file, writes := strings.Cut(flags, "w"); writes {
				return writesTo(strings.TrimSpace(file))
			}
		case letter == 'w' || letter == 'W':
			line, _, _ := strings.Cut(rest, "\n")
			return writesTo(strings.TrimSpace(line))
		case strings.IndexByte("aicrR:btT#", letter) >= 0: // a text, a file to read or a label, to the end of the line
			_, rest, _ = strings.Cut(rest, "\n")
		}
	}
	return Danger{}
}

// sedAddress skips what precedes the letter of a command.
func sedAddress(s string) string {
	for s != "" {
		switch c := s[0]; {
		case c == '/':
			s = sedPart(s[1:], '/')
		case c == '\\' && len(s) > 1:
			s = sedPart(s[2:], s[1])
		case strings.IndexByte(" \t\n;{}!,$~+0123456789I", c) >= 0:
			s = s[1:]
		default:
			return s
		}
	}
	return ""
}

// sedSubstitution returns the flags after s/…/…/, and the rest.
func sedSubstitution(s string) (flags, rest string) {
	if s == "" {
		return "", ""
	}
	mark := s[0]
	s = sedPart(s[1:], mark)
	s = sedPart(s, mark)
	end := strings.IndexAny(s, ";}\n")
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end+1:]
}

// sedPart returns what follows a mark without a backslash before it.
func sedPart(s string, mark byte) string {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == mark {
			return s[i+1:]
		}
	}
	return ""
}
