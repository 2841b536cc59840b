package integrity

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// Relocated reports whether a change leaves a test as it is, and its file differs only in where it imports names from: without the imports,
// all that is new stands apart (Alters), and each name is imported as before, or from a file of code of the change instead of another one. Any
// other file may be a fake.
func (r Rewritten) Relocated(test string) bool {
	unit := r.unit(test)
	return slices.ContainsFunc(r.files, func(f patch.FileChange) bool {
		if f.Kind != patch.Update || !touches(f, test, unit) {
			return false
		}
		before, after := importsOf(f.Path, f.Before), importsOf(f.Path, f.After)
		if len(before.names) == 0 || Alters(patch.FileChange{Kind: patch.Update, Path: f.Path, Before: before.rest, After: after.rest}) {
			return false
		}
		for as, from := range before.names {
			if to, is := after.names[as]; !is && hasWord(after.rest, as) || is && (to.name != from.name || to != from && !(r.isOfCode(from) && r.isOfCode(to))) {
				return false
			}
		}
		return true
	})
}

// Substitutes reports whether the file of a test has something in the place of what it imported: the name is now imported from a test file of
// the change, or declared in the file. That such a test failed on the old code does not show what it states.
func (r Rewritten) Substitutes(test string) bool {
	unit := r.unit(test)
	return slices.ContainsFunc(r.files, func(f patch.FileChange) bool {
		if f.Kind == patch.Delete || !touches(f, test, unit) {
			return false
		}
		before, after := importsOf(Origin(f), f.Before), importsOf(f.Path, f.After)
		for as, from := range before.names {
			if to, is := after.names[as]; is && to.module != from.module && r.isWritten(to) || !is && isDeclared(after.rest, as) {
				return true
			}
		}
		return false
	})
}

// isDeclared reports whether a name is declared at the top level of a text.
func isDeclared(text, name string) bool {
	return slices.ContainsFunc(declared.FindAllString(text, -1), func(found string) bool { return hasWord(found, name) })
}

// imported is a name of a module that a file imports; see gate.Binding and gate.Module.
type imported struct{ name, module string }

// divided is a text of a file: the names that it imports, and the rest.
type divided struct {
	names map[string]imported
	rest  string
}

func importsOf(file, text string) divided {
	d := divided{names: map[string]imported{}}
	at := 0
	for _, s := range gate.Imports(file, text) {
		d.rest += text[min(at, s.Start):s.Start]
		at = max(at, s.End)
		for _, b := range s.Names {
			d.names[b.As] = imported{b.Name, gate.Module(file, s.From)}
		}
	}
	d.rest += text[at:]
	return d
}

// isWritten reports whether a name is imported from a changed test file.
func (r Rewritten) isWritten(i imported) bool {
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool { return i.isIn(f.Path) })
}

// isOfCode reports whether a name is imported from a changed file that has no tests.
func (r Rewritten) isOfCode(i imported) bool { return slices.ContainsFunc(r.code, i.isIn) }

// isIn reports whether a file may be the module that a name is imported from.
func (i imported) isIn(file string) bool {
	module := strings.TrimLeft(i.module, "@~#/") // without the alias of a project
	return gate.IsModule(file, module) || gate.IsModule(file, module+"/"+i.name)
}

// IsAbsence reports whether a file did not load because a name that it imports, or a module, does not exist.
func IsAbsence(f gate.Finding) bool {
	name, module := absent(headline(f))
	return f.Test == "" && !f.Inferred && name+module != ""
}

// headline returns the first line of a message.
func headline(f gate.Finding) string {
	said, _, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
	return said
}

// absent returns the name that a runner reports as missing in a module, or only the module; both are empty if it reports something else.
func absent(said string) (name, module string) {
	for _, expression := range absences {
		if m := expression.FindStringSubmatch(said); m != nil {
			names := expression.Regexp().SubexpNames()
			for i, group := range m {
				switch names[i] {
				case "name":
					name = group
				case "module":
					module = group
				}
			}
			return name, module
		}
	}
	return "", ""
}

var (
	// declared matches the beginning of a declaration at the top level, up to its value.
	declared = lazyregexp.New(`(?m)^(?:export\s+)?(?:async\s+)?(?:(?:const|let|var|function\*?|def|class)\b[^=(]*|[\pL_][\w, ]*(?::[^=\n]*)?=[^=])`)
	absences = []*lazyregexp.Regexp{
		lazyregexp.New(`module '(?P<module>[^']+)' does not provide an export named '(?P<name>[^']+)'`),
		lazyregexp.New(`Named export '(?P<name>[^']+)' not found\. The requested module '(?P<module>[^']+)'`),
		lazyregexp.New(`Module '"(?P<module>[^"]+)"' (?:has no exported member|declares) '(?P<name>[^']+)'`),
		lazyregexp.New(`Cannot find module '(?P<module>[^']+)'`),
		lazyregexp.New(`Failed to (?:resolve import|load url) ["']?(?P<module>[^"'\s]+)`),
		lazyregexp.New(`cannot import name '(?P<name>[^']+)' from '(?P<module>[^']+)'`),
		lazyregexp.New(`No module named '(?P<module>[^']+)'`),
	}
)
