package overseer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// mostToRead limits how many files an attempt must read.
const mostToRead = 8

// missingContext applies if the failure names a file of the tree that the model never saw, or a name that such a file defines.
func missingContext(f Facts) (Sign, bool) {
	var must, why []string
	add := func(p, reason string) {
		if len(must) < mostToRead && slices.Contains(f.Unread, p) && !slices.Contains(must, p) && !slices.Contains(f.Read, p) {
			must, why = append(must, p), append(why, reason)
		}
	}
	for _, m := range mentions(slices.Concat(f.Reports, f.Opinions)) {
		for _, p := range f.Unread {
			if names(m, p) {
				add(p, p+" is named by the failure")
			}
		}
	}
	for _, name := range Unresolved(f.Reports) {
		for _, p := range f.Defined[name] {
			add(p, fmt.Sprintf("%s is defined in %s", name, p))
		}
	}
	if len(must) == 0 {
		return Sign{}, false
	}
	return Sign{
		Class: MissingContext, Rule: "never read", Reason: "the failure concerns files that were never read: " + strings.Join(why, "; "), MustRead: must,
	}, true
}

// mentions returns the texts in which a failure may name files.
func mentions(reports []gate.Report) (texts []string) {
	for _, r := range reports {
		if r.Verdict == gate.Pass {
			continue
		}
		for _, f := range r.Findings {
			texts = append(texts, f.Path+" "+f.Message)
		}
	}
	return texts
}

// names reports whether a text names a file: its whole path, or its base name if that is specific ("pay.go", not "go").
func names(text, file string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], path.Base(file))
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(path.Base(file))
		if bounded(text, start, end) && strings.Contains(path.Base(file), ".") && leads(text[:start], path.Dir(file)) {
			return true
		}
		from = end
	}
}

// bounded reports whether a base name is not part of a longer name.
func bounded(text string, start, end int) bool {
	return (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end]))
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// leads reports whether the text before a base name names no other folder.
func leads(before, dir string) bool {
	if !strings.HasSuffix(before, "/") {
		return true
	}
	named := before[strings.LastIndexAny(before, " \t\n\"'`(:,")+1:]
	named = strings.TrimPrefix(strings.TrimSuffix(named, "/"), "./")
	return named == dir || strings.HasSuffix(named, "/"+dir) || strings.HasSuffix(dir, "/"+named)
}

// unresolved matches messages of compilers and interpreters about unknown names; the first matching group is the name.
var unresolved = lazyregexp.New(`undefined: (?:\w+\.)?(\w+)|undefined \(type \S+ has no field or method (\w+)|Cannot find name '(\w+)'|name '(\w+)' is not defined|cannot import name '(\w+)'|has no exported member(?: named)? '(\w+)'|has no attribute '(\w+)'|(\w+) is not defined|cannot find (?:function|value|type|struct[^` + "`" + `]*|macro|trait) ` + "`" + `(\w+)` + "`" + `|unresolved import ` + "`" + `(?:\w+::)*(\w+)` + "`" + `|Property '(\w+)' does not exist|no method named ` + "`" + `(\w+)` + "`")

// Unresolved returns the unknown names in failures, in order and without duplicates: at most twenty.
func Unresolved(reports []gate.Report) (found []string) {
	for _, text := range failing(reports) {
		for _, groups := range unresolved.FindAllStringSubmatch(text, -1) {
			for _, name := range groups[1:] {
				if name != "" && !slices.Contains(found, name) && len(found) < 20 {
					found = append(found, name)
				}
			}
		}
	}
	return found
}
