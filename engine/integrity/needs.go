package integrity

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// needs returns the lines that state a test, in order: its own, the first lines of the suites around it, and what they use or what runs for
// each test of its file. The words of these lines are returned too. imports are not among the lines. Both are empty if the text does not have
// the test.
func needs(text, unit string) (statement []string, words map[string]bool) {
	lines := strings.Split(text, "\n")
	first, last := span(lines, unit)
	if at := line(text, unit); last == 0 && at >= 0 {
		first, last = at, at+1
	}
	if last == 0 {
		return nil, nil
	}
	known, others := around(lines, first)
	words = map[string]bool{}
	for _, p := range known {
		addWords(words, lines[p.from:p.to])
	}
	for found := true; found; {
		found = false
		others = slices.DeleteFunc(others, func(p part) bool {
			if !isNeeded(lines[p.from:p.to], words) {
				return false
			}
			found, known = true, append(known, p)
			addWords(words, lines[p.from:p.to])
			return true
		})
	}
	slices.SortFunc(known, func(a, b part) int { return a.from - b.from })
	for _, p := range known {
		statement = append(statement, codeOf(lines[p.from:p.to])...)
	}
	return statement, words
}

// part is a part of a text: some of its lines, excluding the last one.
type part struct{ from, to int }

// around returns the parts of a text that a test at a line consists of, which are its own and the first lines of the suites around it, and
// those beside them.
func around(lines []string, at int) (own, beside []part) {
	to := -1 // of the own part; that of the test ends where the next one begins
	for {
		outer := at - 1
		for outer >= 0 && (strings.TrimSpace(lines[outer]) == "" || indentation(lines[outer]) >= indentation(lines[at])) {
			outer--
		}
		end := len(lines)
		for i := at; i < len(lines) && outer >= 0; i++ {
			if strings.TrimSpace(lines[i]) != "" && indentation(lines[i]) <= indentation(lines[outer]) {
				end = i
				break
			}
		}
		for _, p := range parts(lines, outer+1, end, indentation(lines[at])) {
			switch {
			case at < p.from || at >= p.to:
				beside = append(beside, p)
			case to < 0:
				own = append(own, p)
			default:
				own = append(own, part{p.from, at + 1})
			}
		}
		if outer < 0 {
			return own, beside
		}
		at, to = outer, outer+1
	}
}

// parts cuts lines where one begins at a level of indentation that does not close a bracket. Attributes belong to what follows them.
func parts(lines []string, from, to, level int) (all []part) {
	begun := false // the last part has more than attributes
	for i := from; i < to; i++ {
		text := strings.TrimSpace(lines[i])
		switch {
		case text == "":
		case len(all) == 0, begun && indentation(lines[i]) <= level && !closing.MatchString(text):
			all = append(all, part{i, i + 1})
			begun = !attribute.MatchString(text)
		default:
			all[len(all)-1].to = i + 1
			begun = begun || indentation(lines[i]) <= level && !closing.MatchString(text) && !attribute.MatchString(text)
		}
	}
	return all
}

// codeOf returns the lines that are neither blank nor comments, trimmed.
func codeOf(lines []string) (code []string) {
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !comment.MatchString(l) {
			code = append(code, l)
		}
	}
	return code
}

func addWords(words map[string]bool, lines []string) {
	for _, l := range codeOf(lines) {
		for _, word := range identifier.FindAllString(l, -1) {
			words[word] = true
		}
	}
}

// isNeeded reports whether a part beside a test belongs to it: it declares one of its words, it runs for each test, or it is a statement
// that may affect anything.
func isNeeded(lines []string, words map[string]bool) bool {
	code := codeOf(lines)
	at := slices.IndexFunc(code, func(l string) bool { return !attribute.MatchString(l) })
	if at < 0 || beginsTest.MatchString(code[at]) || inertStatement.MatchString(code[at]) {
		return false
	}
	if slices.ContainsFunc(code[:at+1], affectsOthers.MatchString) {
		return true
	}
	if named := definition.FindStringSubmatch(code[at]); named != nil {
		return words[named[1]]
	}
	text := strings.Join(code, "\n")
	declared := variables.FindStringSubmatch(text)
	return declared == nil || slices.ContainsFunc(identifier.FindAllString(declared[1], -1), func(name string) bool { return words[name] }) ||
		assigns.MatchString(text) || strings.Contains(text, "(") && !isFunction.MatchString(text)
}

var (
	beginsTest = lazyregexp.New(`^(?:await\s+)?(?:it|test|describe|suite|context|specify)\b`)
	// inertStatement matches statements that do nothing for tests: texts, and what only the program of that name does.
	inertStatement = lazyregexp.New("^(?:[\"'`]|if __name__)")
	variables      = lazyregexp.New(`^(?:(?:export\s+)?(?:const|let|var)\s+([^=]+)|([\pL_][\pL\pN_, ]*)(?::[^=\n]*)?)=[^=]`)
	assigns        = lazyregexp.New(`[\w)\]]\.[\w$]+\s*=[^=>]|\bsetattr\b|\bdefineProperty\b|\bassign\(`)
	isFunction     = lazyregexp.New(`^[^=(]+=\s*(?:async\s+)?(?:(?:\([^()]*\)|[\w$]+)\s*=>|function\b|lambda\b)`)
)
