package python

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate/python/testrun"
)

// absent returns the package for which a test, or a module of tests, failed and that has to be installed. It is empty for a module that the
// change may bring: one below a package of the tree, or one that only tests import and no settings name.
func (s session) absent(t testrun.Outcome) string {
	name := t.Unfound()
	top, _, inner := strings.Cut(name, ".")
	switch {
	case name == "" || s.places.Sources == nil:
		return ""
	case s.inTree(top):
		if inner {
			return ""
		}
		return name // it is in the tree, and not installed
	case s.declared(top) || s.imported(top):
		return name
	}
	return ""
}

// inTree reports whether a folder or a file of the tree is called like a module.
func (s session) inTree(module string) bool {
	return len(s.places.Sources.Below(".", func(file string) bool {
		parts := strings.Split(file, "/")
		return parts[len(parts)-1] == module+".py" || path.Ext(file) == ".py" && slices.Contains(parts[:len(parts)-1], module)
	})) > 0
}

// declared reports whether the settings of the project name a package.
func (s session) declared(module string) bool {
	name := regexp.MustCompile(`(?i)\b` + strings.ReplaceAll(regexp.QuoteMeta(module), "_", "[-_.]") + `\b`)
	for _, text := range s.project.text {
		if name.MatchString(text) {
			return true
		}
	}
	return slices.ContainsFunc([]string{"setup.py", "Pipfile"}, func(file string) bool { return name.Match(s.places.Sources.Read(file)) })
}

// imported reports whether a file other than a test imports a module.
func (s session) imported(module string) bool {
	code := s.places.Sources.Below(".", func(file string) bool { return path.Ext(file) == ".py" && !testrun.IsTest(file) })
	_, found := s.places.Sources.Find(code, regexp.MustCompile(`(?m)^[ \t]*(?:import|from)[ \t]+`+regexp.QuoteMeta(module)+`\b`))
	return found
}
