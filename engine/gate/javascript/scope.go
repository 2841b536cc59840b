package javascript

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
)

// otherLanguages are endings of code in other languages.
var otherLanguages = []string{".go", ".py", ".pyi", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".rb", ".php", ".cs", ".sh", ".toml", ".mod", ".sum"}

// concerned reports whether files may affect the report of a gate that reads files of some kind. Files outside of the project count
// if they are build settings, or belong to a neighbouring package that the project depends on.
func concerned(tree gate.Tree, changed []string, reads func(p *npm.Project, file string) bool) bool {
	p, err := npm.Open(tree)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(changed, func(file string) bool {
		if filepath.IsLocal(file) {
			return npm.Settings.MatchString(path.Base(file)) || reads(p, file)
		}
		dir := strings.TrimLeft(path.Dir(file), "./")
		return dir == "" && npm.Settings.MatchString(path.Base(file)) || reads(p, file) && npm.AsksFor(p, file)
	})
}

// Concerned reports whether files that the project's command formats changed.
func (*formatGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed, func(p *npm.Project, file string) bool {
		return filepath.IsLocal(file) && !slices.Contains(otherLanguages, path.Ext(file)) && isFormatted(p, file)
	})
}

// Concerned reports whether code changed.
func (*lintGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed, func(p *npm.Project, file string) bool { return npm.IsCode(file) || path.Ext(file) == ".json" })
}

// Concerned reports whether plain JavaScript changed.
func (*syntaxGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed, func(_ *npm.Project, file string) bool { return filepath.IsLocal(file) && npm.IsCode(file) })
}

// Concerned reports whether code, or files that it may import, changed.
func (*typesGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed, func(_ *npm.Project, file string) bool { return npm.IsCode(file) || path.Ext(file) == ".json" })
}

// Concerned reports whether files that tests may read changed, except documents next to them and code of other languages.
func (*testGate) Concerned(tree gate.Tree, changed []string) bool {
	return concerned(tree, changed, func(_ *npm.Project, file string) bool {
		return testrun.IsTest(file) || !npm.Documents.MatchString(file) && !slices.Contains(otherLanguages, path.Ext(file)) && !strings.HasPrefix(file, ".github/")
	})
}

// RunIn runs the tests that a change concerns: Vitest and Jest follow imports, and other runners get the files that imports lead
// to.
func (g *testGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	return tool.KeepingTests(tree, testrun.WrittenTests, func() gate.Report { return g.judge(ctx, tree, scope) })
}

// narrowed returns a suite with the tests that a change concerns, or the suite itself if its runner cannot select them.
func narrowed(p *npm.Project, s suite, c npm.Call, scope gate.Scope) suite {
	switch {
	case len(scope.Only) > 0:
		return alone(p, s, c, scope)
	case scope.All():
		return s
	}
	at := slices.IndexFunc(runners, func(r runner) bool { return r.program == s.program })
	if at < 0 || runners[at].related == nil {
		return narrowedByFiles(p, s, c, scope)
	}
	r := runners[at]
	files, gone, ok := relatedTo(p, scope)
	switch tests := slices.ContainsFunc(gone, func(file string) bool { return testrun.HoldsTests(p.Sources, file) }); {
	case ok && r.program == jest && scope.Reach == gate.ReachNear && namesOthers(keep(c.Args, r.without), scope.Changed):
		s.idle = true
		return s
	case !ok || namesFiles(r, c) || len(files) == 0 && !tests:
		return s // a word may be an option's value, or a pattern of files
	case len(files) == 0:
		s.idle = true
		return s
	}
	r.first, r.last = r.related.first, slices.Concat(r.last, r.related.last, files)
	s.argv, s.part = append([]string{s.argv[0]}, r.arguments(c, p.Major(r.program))...), true
	return s
}

// namesOthers reports whether the words of a call are patterns of files, as jest has them, that match none of the changed files, which are all tests: none
// of these runs in it. A word after an option may be its value; a call with such a word may run any test.
func namesOthers(words []npm.Word, changed []string) bool {
	var patterns []*regexp.Regexp
	for i, w := range words {
		if strings.HasPrefix(w.Text, "-") {
			continue
		}
		pattern, err := regexp.Compile("(?i)" + w.Text)
		if err != nil || i > 0 && strings.HasPrefix(words[i-1].Text, "-") && !strings.Contains(words[i-1].Text, "=") {
			return false
		}
		patterns = append(patterns, pattern)
	}
	return len(patterns) > 0 && !slices.ContainsFunc(changed, func(file string) bool {
		return !testrun.IsTest(file) || slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString("/" + file) })
	})
}

// relatedTo returns the files from which Vitest and Jest follow imports: the changed ones, and for a missing one its importers, so
// that a change concerns the same tests in both trees. Not ok: a change may concern any test.
func relatedTo(p *npm.Project, scope gate.Scope) (files, gone []string, ok bool) {
	for _, file := range scope.Changed {
		info, err := os.Lstat(filepath.Join(p.Dir, filepath.FromSlash(file)))
		switch {
		case npm.Documents.MatchString(file) && !testrun.IsTest(file):
		case npm.Settings.MatchString(path.Base(file)) || strings.Contains(file, "__snapshots__/") || err == nil && !info.Mode().IsRegular():
			return nil, nil, false
		case !filepath.IsLocal(file): // jest follows no imports out of the project, and Vitest only some
			if npm.AsksFor(p, file) {
				return nil, nil, false
			}
		case err != nil:
			gone = append(gone, file)
		default:
			files = append(files, file)
		}
	}
	for _, file := range npm.Importers(p, gone) {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return npm.TextsOf(npm.WordsOf(files)), gone, true
}

// narrowedByFiles returns a suite whose call names the test files that a change concerns. It is idle if none of these is in the
// tree, and apart if there are none.
func narrowedByFiles(p *npm.Project, s suite, c npm.Call, scope gate.Scope) suite {
	chosen, ok := selected(p, c)
	if !ok {
		return s
	}
	files, known := chosen.ConcernedBy(p, scope)
	switch {
	case !known || len(files) > 0 && len(files) == len(p.Sources.Below(".", chosen.Takes)):
		return s
	case len(files) == 0:
		s.idle = slices.ContainsFunc(scope.Changed, chosen.Takes)
		s.apart = !s.idle
		return s
	}
	return s.of(p, chosen.To(c, files), files)
}

// selected determines the files that a call executes, without the options that Forge removes.
func selected(p *npm.Project, c npm.Call) (npm.Selection, bool) {
	without := nodeWithout
	if at := slices.IndexFunc(runners, func(r runner) bool { return r.program == c.Program }); at >= 0 {
		without = runners[at].without
	}
	c.Args = keep(c.Args, without)
	return npm.Select(p, c)
}

// of returns a suite whose call names some files.
func (s suite) of(p *npm.Project, c npm.Call, files []string) suite {
	narrow, _ := suiteOf(p, c, files...)
	s.argv, s.parse, s.part = narrow.argv, narrow.parse, true
	return s
}

// beyond returns those of the tests that a change concerns only because they use the changed code: in a wide scope, tests in files that a
// near scope would not run. It returns none if the files of a near scope are unknown.
func (t testScript) beyond(held []string, scope gate.Scope) (tests []string) {
	if scope.All() || scope.Reach != gate.ReachWide || len(scope.Only) > 0 {
		return nil
	}
	near := t.near(scope.Changed)
	if len(near) == 0 {
		return nil
	}
	for _, test := range held {
		if file, _, _ := strings.Cut(test, " > "); file != "" && file != "?" && !slices.Contains(near, file) {
			tests = append(tests, test)
		}
	}
	return tests
}

// near returns the files of tests that a near scope runs; none if that is unknown.
func (t testScript) near(changed []string) (near []string) {
	for _, step := range t.steps {
		switch step.kind {
		case stepStrange, stepShell:
			return nil // other tests may be started
		case stepTests:
			follows := func(r runner) bool { return r.program == step.call.Program && r.related != nil }
			chosen, ok := selected(t.project, step.call)
			if !ok || slices.ContainsFunc(runners, follows) {
				return nil
			}
			files, known := chosen.ConcernedBy(t.project, gate.Scope{Changed: changed, Reach: gate.ReachNear})
			if !known || len(files) == 0 {
				return nil
			}
			near = append(near, files...)
		}
	}
	return near
}
