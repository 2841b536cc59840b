package integrity

import (
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// Breaks reports whether a new test did not compile or run on the old code because of something that it uses: a fault is in one of
// its lines, in a missing name on such a line, or in its setup. Compile errors of other tests do not matter.
func (r Rewritten) Breaks(test string, faults []gate.Finding) bool {
	return slices.ContainsFunc(r.all, func(f patch.FileChange) bool {
		if f.Kind == patch.Delete || !mayBeIn(test, f.Path) {
			return false
		}
		lines := strings.Split(f.After, "\n")
		first, last := span(lines, r.unit(test))
		return last > 0 && slices.ContainsFunc(faults, func(fault gate.Finding) bool {
			if fault.Test != "" && (!r.Same(test, fault.Test) || !missing.MatchString(fault.Message)) {
				return false // its assertion failed, or it is another test
			}
			if fault.Test != "" {
				fault.Line = 0 // the place of the test itself
			}
			return fault.Path == f.Path && at(fault, lines, first, last) || names(fault, f, lines, strings.Join(lines[first:last], "\n"))
		})
	})
}

// at reports whether a fault is in a test, or in its setup: a function that the test calls, or one that runs before each test.
func at(fault gate.Finding, lines []string, first, last int) bool {
	on := fault.Line - 1
	if fault.Inferred || on < 0 || on >= len(lines) {
		return false
	}
	if first <= on && on < last {
		return true
	}
	owner := on
	for owner > 0 && (strings.TrimSpace(lines[owner]) == "" || indentation(lines[owner]) >= indentation(lines[on])) {
		owner--
	}
	if indentation(lines[on]) == 0 {
		return false // not in a function
	}
	declared := declaration.FindStringSubmatch(lines[owner])
	return prepares.MatchString(lines[owner]) || declared != nil && hasWord(strings.Join(lines[first:last], "\n"), declared[1])
}

// names reports whether a fault is about a name that a test uses: a name that is new in the file, or a called one.
func names(fault gate.Finding, f patch.FileChange, lines []string, text string) bool {
	source := fault.Message
	if on := fault.Line - 1; fault.Path == f.Path && !fault.Inferred && on >= 0 && on < len(lines) {
		source = lines[on]
	}
	return slices.ContainsFunc(identifier.FindAllString(fault.Message, -1), func(name string) bool {
		if !hasWord(source, name) || !hasWord(text, name) {
			return false
		}
		return !hasWord(f.Before, name) || strings.Contains(source, name+"(") && strings.Contains(text, name+"(")
	})
}

var (
	identifier  = lazyregexp.New(`[\pL_$][\pL\pN_$]*`)
	declaration = lazyregexp.New(`(?:func(?:tion)?|def|fn|const|let|class)\s+(?:\([^)]*\)\s*)?([\pL_$][\pL\pN_$]*)`)
	missing     = lazyregexp.New(`(?i)(?:Attribute|Name|Import|ModuleNotFound|Type|Reference|NoMethod)Error|is not a (?:function|constructor)|not defined`)
	prepares    = lazyregexp.New(`(?i)\bset_?up|\bbefore(?:each|all)?\b|TestMain`)
)
