package integrity

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// OtherNames reports whether a test, now by another name or by its own, states what it stated: its text differs in identifiers only, each always
// replaced by the same one, in strings too. A new identifier is one that the code of the change introduces, or takes in place of one that is gone there,
// or one that the tests declare themselves. A qualifier in front of an identifier may come or go, as where code moves to another package, and a call of
// the changed code may have more arguments.
func (r Rewritten) OtherNames(test, now string, code patch.ChangeSet) bool {
	was, before := r.text(test, func(f patch.FileChange) string { return f.Before })
	is, after := r.text(now, func(f patch.FileChange) string { return f.After })
	names, same := renames(tokens(was), tokens(is), code)
	if !same {
		return false
	}
	for old, name := range names {
		if old == name {
			continue
		}
		if literals[old] || literals[name] || !introduces(code, old, name) && (hasWord(before, name) || !declaresName(after, name)) {
			return false
		}
	}
	return true
}

// text returns the lines of a test, and the whole text that has them.
func (r Rewritten) text(test string, of func(patch.FileChange) string) (lines []string, whole string) {
	unit := r.unit(test)
	for _, f := range r.all {
		if lines = body(of(f), unit); len(lines) > 0 {
			return lines, of(f)
		}
	}
	return nil, ""
}

// literals are values that look like identifiers.
var literals = map[string]bool{
	"true": true, "false": true, "nil": true, "null": true, "undefined": true, "True": true, "False": true, "None": true, "not": true, "is": true, "in": true, "and": true, "or": true,
}

// introduces reports whether changed code has a name that it did not have, or lacks an old one that it had.
func introduces(code patch.ChangeSet, old, name string) bool {
	var before, after strings.Builder
	for _, f := range code.Files {
		before.WriteString(f.Before + "\n")
		after.WriteString(f.After + "\n")
	}
	was, is := before.String(), after.String()
	return hasWord(is, name) && !hasWord(was, name) || hasWord(was, old) && !hasWord(is, old)
}

// assigned matches the names to the left of an assignment, or of a loop.
var assigned = lazyregexp.New(`([\pL_$][\pL\pN_$]*(?:\s*,\s*[\pL_$][\pL\pN_$]*)*)\s*(?::?=[^=]| in )`)

// declaresName reports whether a text declares a name, or assigns to it.
func declaresName(text, name string) bool {
	declared := slices.Concat(declaration.FindAllStringSubmatch(text, -1), assigned.FindAllStringSubmatch(text, -1))
	return slices.ContainsFunc(declared, func(found []string) bool { return hasWord(found[1], name) })
}

// token matches a string, an identifier with its qualifiers, a number, or any other sign.
var token = lazyregexp.New("\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|`[^`]*`|" + `[\pL_$][\pL\pN_$]*(?:\.[\pL_$][\pL\pN_$]*)*|[\pN][\pL\pN_.]*|\S`)

// tokens splits lines of code. A comma before a closing bracket, which formatters set where they break a line, is none.
func tokens(lines []string) (all []string) {
	for _, one := range token.FindAllString(strings.Join(lines, "\n"), -1) {
		if n := len(all); n > 0 && all[n-1] == "," && strings.Contains(")]}", one) {
			all = all[:n-1]
		}
		all = append(all, one)
	}
	return all
}

// renames returns the identifiers that the second of two texts has in place of those of the first, and whether there is no other difference but
// additional arguments of the changed code.
func renames(before, after []string, code patch.ChangeSet) (names map[string]string, same bool) {
	was, is, same := aligned(before, after, code)
	if !same || len(was) == 0 {
		return nil, false
	}
	names = map[string]string{}
	for i := range was {
		word := begins(was[i]) && begins(is[i])
		if word && !pair(names, was[i], is[i]) || !word && was[i] != is[i] && !(quoted(was[i]) && quoted(is[i])) {
			return nil, false
		}
	}
	for i := range was {
		if quoted(was[i]) && was[i] != is[i] && inNames(was[i], names) != is[i] {
			return nil, false
		}
	}
	return names, true
}

// aligned returns the tokens of two texts side by side, without additional arguments in the second; false if there is more or less.
func aligned(before, after []string, code patch.ChangeSet) (was, is []string, same bool) {
	text, now := onLines(before), onLines(after)
	if len(before) == len(after) {
		return before, after, true
	}
	i, j, from := 0, 0, 0
	pairUp := func(n int) { // n tokens of both
		was, is = append(was, before[i:i+n]...), append(is, after[j:j+n]...)
		i, j = i+n, j+n
	}
	for _, e := range patch.Diff(text, now) {
		pairUp(strings.Count(text[from:e.Start], "\n"))
		from = e.End
		old, added := strings.Count(text[e.Start:e.End], "\n"), strings.Count(e.New, "\n")
		switch {
		case old == added:
			pairUp(old)
		case old == 0 && isArgument(after, j, j+added, code):
			j += added
		default:
			return nil, nil, false
		}
	}
	pairUp(len(before) - i)
	return was, is, true
}

// onLines returns a text with each token on a line.
func onLines(tokens []string) string {
	var b strings.Builder
	for _, one := range tokens {
		b.WriteString(strings.ReplaceAll(one, "\n", "\x00") + "\n")
	}
	return b.String()
}

// isArgument reports whether tokens are arguments of a call of something that the changed code names.
func isArgument(all []string, from, to int, code patch.ChangeSet) bool {
	if from == 0 || to >= len(all) || all[from] != "," && all[to-1] != "," && !(all[from-1] == "(" && all[to] == ")") {
		return false
	}
	depth := 0
	for at := from - 1; at > 0; at-- {
		switch all[at] {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				names := strings.Split(all[at-1], ".")
				return begins(all[at-1]) && slices.ContainsFunc(code.Files, func(f patch.FileChange) bool { return hasWord(f.After, names[len(names)-1]) })
			}
		}
	}
	return false
}

// pair adds the names of two identifiers; false if one had another one in its place before.
func pair(names map[string]string, was, is string) bool {
	old, now := strings.Split(was, "."), strings.Split(is, ".")
	if len(old) != len(now) { // a qualifier came or went
		old, now = old[len(old)-1:], now[len(now)-1:]
	}
	for i := range old {
		known, seen := names[old[i]]
		if seen && known != now[i] {
			return false
		}
		names[old[i]] = now[i]
	}
	return true
}

// quoted reports whether a token is a string.
func quoted(token string) bool { return len(token) > 1 && strings.ContainsAny(token[:1], "\"'`") }

// begins reports whether a token is an identifier.
func begins(token string) bool {
	at := identifier.FindStringIndex(token)
	return at != nil && at[0] == 0
}

// inNames returns a string with the new names in it.
func inNames(text string, names map[string]string) string {
	return identifier.Regexp().ReplaceAllStringFunc(text, func(word string) string {
		if name, known := names[word]; known {
			return name
		}
		return word
	})
}
