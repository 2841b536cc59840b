package integrity

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// Alters reports whether existing tests may state something else after a change of their file: it removes something, or adds something that is
// not separate. A row in a table may be an expectation, a statement may end a test, and in "{in: 1,\nout: 2},\n{in: 3,\nout: 4}," each added
// line may be a part of an existing row. Separate are new tests and functions with new names, imports and comments.
func Alters(f patch.FileChange) bool {
	if Loses(f) {
		return true
	}
	if f.Kind == patch.Create {
		return false
	}
	before, after := written(f.Before), written(f.After)
	old := 0 // how many lines of before are found
	for at := 0; at < len(after); {
		if old < len(before) && after[at].text == before[old].text {
			if after[at].indented != before[old].indented && followsIndentation.MatchString(f.Path) {
				return true // it may be in another block
			}
			old, at = old+1, at+1
			continue
		}
		end := at
		for end < len(after) && (old == len(before) || after[end].text != before[old].text) {
			end++
		}
		if !standsApart(after, at, end, f.Before) {
			return true
		}
		at = end
	}
	return false
}

var followsIndentation = lazyregexp.New(`(?i)\.(pyi?|ya?ml)$`)

// writtenLine is a line that is not blank.
type writtenLine struct {
	text     string // trimmed
	indented int    // in bytes
}

func written(text string) (lines []writtenLine) {
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			lines = append(lines, writtenLine{trimmed, indentation(strings.TrimRight(line, "\r\n"))})
		}
	}
	return lines
}

// standsApart reports whether the added lines from, including, to, excluding, stand apart from those around them. Where lines repeat, as
// closing brackets do, it is not known which of them were added: then it is enough if one choice stands apart.
func standsApart(lines []writtenLine, from, to int, before string) bool {
	for {
		if isApart(lines, from, to, before) {
			return true
		}
		if from == 0 || lines[from-1] != lines[to-1] {
			return false
		}
		from, to = from-1, to-1
	}
}

func isApart(lines []writtenLine, from, to int, before string) bool {
	added := lines[from:to]
	if from > 0 && attribute.MatchString(lines[from-1].text) {
		return false // the attribute would be that of another function
	}
	code := withoutComments(added)
	if len(code) == 0 || !slices.ContainsFunc(code, func(l writtenLine) bool { return !isImport(l.text, before) }) {
		return true
	}
	level := code[0].indented
	if to < len(lines) && lines[to].indented > level {
		return false // what follows would be within it
	}
	return balanced(code) && !slices.ContainsFunc(code, func(l writtenLine) bool {
		return l.indented < level || l.indented == level && !defines(l.text, before) && !attribute.MatchString(l.text) && !isImport(l.text, before) && !closing.MatchString(l.text) ||
			affectsOthers.MatchString(l.text)
	}) && !attribute.MatchString(code[len(code)-1].text)
}

// withoutComments returns the lines that are not comments. A comment that does not end within the lines is code: it would take in what follows.
func withoutComments(lines []writtenLine) (code []writtenLine) {
	for i := 0; i < len(lines); i++ {
		if comment.MatchString(lines[i].text) {
			continue
		}
		if strings.HasPrefix(lines[i].text, "/*") {
			end := slices.IndexFunc(lines[i:], func(l writtenLine) bool { return strings.HasSuffix(l.text, "*/") })
			if end >= 0 {
				i += end
				continue
			}
		}
		code = append(code, lines[i])
	}
	return code
}

// defines reports whether a line begins a test, a function or a type whose name a text does not have.
func defines(line, before string) bool {
	if found := definition.FindStringSubmatch(line); found != nil {
		return !hasWord(before, found[1])
	}
	found := titled.FindStringSubmatch(line)
	return found != nil && !declares(before, found[1])
}

// isImport reports whether a line imports something under a name that a text does not have.
func isImport(line, before string) bool {
	if !importing.MatchString(line) {
		return false
	}
	words := identifier.FindAllString(line, -1)
	return len(words) > 0 && !hasWord(before, words[len(words)-1])
}

// balanced reports whether lines close the brackets that they open, and no others. Brackets in strings count within one line only.
func balanced(lines []writtenLine) bool {
	depth := 0
	for _, l := range lines {
		for _, c := range quoted.ReplaceAllString(l.text, "") {
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				if depth--; depth < 0 {
					return false
				}
			}
		}
	}
	return depth == 0
}

var (
	// comment matches a line that is one. A directive of Go's tools is none.
	comment   = lazyregexp.New(`^(?://(?:$|[^g]|g[^o]|go[^:])|#(?:[^\[!]|$))`)
	attribute = lazyregexp.New(`^(@|#\[)`)
	closing   = lazyregexp.New(`^[)\]}]`)
	quoted    = lazyregexp.New("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
	importing = lazyregexp.New(`^(?:import\b|from\s+\S+\s+import\b|use\s|export\s.*\bfrom\b|(?:[\w.]+\s+)?"[\w./~-]+"$)`)
	// definition matches the first line of a function or type; its name is a method's if it has a receiver.
	definition = lazyregexp.New(`^(?:(?:export|default|async|pub(?:\([\w ]+\))?|unsafe|static|abstract|public|private|protected|final)\s+)*` +
		`(?:func|function\*?|def|fn|class|type|struct|enum|trait|interface|mod)\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\pN_$]*)`)
	// titled matches the first line of a test or suite whose name is a text.
	titled = lazyregexp.New("^(?:await\\s+)?(?:it|test|describe|suite|context|specify|t\\.test)\\s*\\(\\s*[\"'`]([^\"'`]+)[\"'`]")
	// affectsOthers matches what runs around tests that do not name it.
	affectsOthers = lazyregexp.New(`(?i)\bset_?up|\btear_?down|\b(?:before|after)(?:each|all)?\s*\(|TestMain|\bfunc\s+init\b|autouse|pytest_\w+|\bmonkeypatch\s*=`)
)
