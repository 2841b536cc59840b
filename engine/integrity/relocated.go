package integrity

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// Runs are what is known of the tests of a change: the tests that pass with it, the faults of the new ones on the old code, and those of the
// original ones on the new code.
type Runs struct {
	Held          []string
	New, Original []gate.Finding
}

// Relocated reports whether a change of an existing test is only that it imports names from elsewhere: its lines and all that they need are
// the same, the original did not run on the new code because the names are gone there, and the new one did not run on the old code because
// they were not where it imports them from. What the change brings beside its tests, such as a fake, or imports from there, excludes it.
func (r Rewritten) Relocated(test string, runs Runs) bool {
	if r.brings(runs.Held) {
		return false
	}
	unit := r.unit(test)
	return slices.ContainsFunc(r.files, func(old patch.FileChange) bool {
		return touches(old, test, unit) && slices.ContainsFunc(runs.Held, func(now string) bool {
			return r.Same(test, now) && slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
				return f.Kind != patch.Delete && mayBeIn(now, f.Path) && r.relocates(version{Origin(old), old.Before, test}, version{f.Path, f.After, now}, runs)
			})
		})
	})
}

// brings reports whether a change writes test files without a passing test, or ones in a language whose imports are unknown.
func (r Rewritten) brings(held []string) bool {
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
		return !importsKnown.MatchString(f.Path) || f.Kind != patch.Delete && !slices.ContainsFunc(held, func(test string) bool {
			return mayBeIn(test, f.Path) && line(f.After, r.unit(test)) >= 0
		})
	})
}

// version is a test in a text of a file.
type version struct{ file, text, test string }

// relocates compares a test before and after a change; see Relocated.
func (r Rewritten) relocates(old, now version, runs Runs) bool {
	before, after := importsOf(old.file, old.text), importsOf(now.file, now.text)
	statement, words := needs(before.rest, r.unit(old.test))
	same, _ := needs(after.rest, r.unit(now.test))
	if len(statement) == 0 || !slices.Equal(statement, same) || r.isFrom(after) {
		return false
	}
	moved := false
	for word := range words {
		from, was := before.names[word]
		to, is := after.names[word]
		switch {
		case was != is || from.name != to.name:
			return false
		case from.module == to.module:
		case !r.lacks(old, from, runs.Original, false) || !r.lacks(now, to, runs.New, true):
			return false
		default:
			moved = true
		}
	}
	return moved
}

// Substitutes reports whether a test uses something in the place of what it imported: the name is now imported from a changed test file, or
// declared beside the test. That such a test failed on the old code does not show what it states.
func (r Rewritten) Substitutes(test string) bool {
	unit := r.unit(test)
	return slices.ContainsFunc(r.files, func(old patch.FileChange) bool {
		before := importsOf(Origin(old), old.Before)
		return touches(old, test, unit) && slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
			if f.Kind == patch.Delete || f.Path != old.Path && line(f.Before, unit) >= 0 {
				return false
			}
			after := importsOf(f.Path, f.After)
			_, words := needs(after.rest, unit)
			for word := range words {
				from, was := before.names[word]
				to, is := after.names[word]
				if was && (is && from.module != to.module && r.isWritten(to) || !is && isDeclared(after.rest, word)) {
					return true
				}
			}
			return false
		})
	})
}

// isDeclared reports whether a name is declared at the top level of a text.
func isDeclared(text, name string) bool {
	for _, found := range declared.FindAllString(text, -1) {
		if hasWord(found, name) {
			return true
		}
	}
	return false
}

// imported is a name that a file imports.
type imported struct {
	name, module string // see gate.Binding and gate.Module
	as           string
	from         gate.Import
}

// divided is a text of a file: its imports, and the rest with its lines where they are.
type divided struct {
	names map[string]imported
	rest  string
}

func importsOf(file, text string) divided {
	i := divided{names: map[string]imported{}, rest: text}
	for _, s := range gate.Imports(file, text) {
		i.rest = i.rest[:s.Start] + blank(text[s.Start:s.End]) + i.rest[s.End:]
		for _, b := range s.Names {
			i.names[b.As] = imported{b.Name, gate.Module(file, s.From), b.As, s}
		}
	}
	return i
}

// blank returns a text of the same size without words.
func blank(text string) string {
	blanks := []byte(text)
	for i, c := range blanks {
		if c != '\n' {
			blanks[i] = ' '
		}
	}
	return string(blanks)
}

// isFrom reports whether a text imports from a changed test file.
func (r Rewritten) isFrom(text divided) bool {
	for _, i := range text.names {
		if r.isWritten(i) {
			return true
		}
	}
	return false
}

// isWritten reports whether a name is imported from a changed test file.
func (r Rewritten) isWritten(i imported) bool {
	module := strings.TrimLeft(i.module, "@~#/") // without the alias of a project
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
		return gate.IsModule(f.Path, module) || gate.IsModule(f.Path, module+"/"+i.name)
	})
}

// lacks reports whether a test did not run because an imported name, or its module, does not exist. Runners report the first missing name of
// an import only: unless it must be the name itself, another name of the same import is enough.
func (r Rewritten) lacks(t version, i imported, faults []gate.Finding, itself bool) bool {
	first := 1 + strings.Count(t.text[:i.from.Start], "\n")
	last := first + strings.Count(t.text[i.from.Start:i.from.End], "\n")
	return slices.ContainsFunc(faults, func(f gate.Finding) bool {
		said := headline(f)
		if f.Test != "" {
			return f.Test == t.test && missing.MatchString(said) && (hasWord(said, i.as) || i.name != "" && hasWord(said, i.name))
		}
		if f.Inferred || f.Path != t.file || f.Line < first || f.Line > last {
			return false
		}
		name, module := absent(said)
		return name == i.name && name != "" || !itself && name != "" && slices.ContainsFunc(i.from.Names, func(b gate.Binding) bool { return b.Name == name }) ||
			name == "" && module != "" && within(i.module, gate.Module(t.file, module))
	})
}

func within(module, missing string) bool {
	return module == missing || strings.HasPrefix(module, missing+"/")
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
	// declared matches the beginning of a declaration up to its value, and all names of an object or a list that is taken apart.
	declared     = lazyregexp.New(`(?m)^(?:export\s+)?(?:async\s+)?(?:(?:const|let|var|function\*?|def|class)\b[^=(]*|[\pL_][\w, ]*(?::[^=\n]*)?=[^=])`)
	importsKnown = lazyregexp.New(`\.(?:[cm]?[jt]sx?|py)$`)
	absences     = []*lazyregexp.Regexp{
		lazyregexp.New(`module '(?P<module>[^']+)' does not provide an export named '(?P<name>[^']+)'`),
		lazyregexp.New(`Named export '(?P<name>[^']+)' not found\. The requested module '(?P<module>[^']+)'`),
		lazyregexp.New(`Module '"(?P<module>[^"]+)"' (?:has no exported member|declares) '(?P<name>[^']+)'`),
		lazyregexp.New(`Cannot find module '(?P<module>[^']+)'`),
		lazyregexp.New(`Failed to (?:resolve import|load url) ["']?(?P<module>[^"'\s]+)`),
		lazyregexp.New(`cannot import name '(?P<name>[^']+)' from '(?P<module>[^']+)'`),
		lazyregexp.New(`No module named '(?P<module>[^']+)'`),
	}
)
