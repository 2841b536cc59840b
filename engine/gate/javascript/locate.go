package javascript

import (
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// locate gives a place to the findings without one, or without a line: if nothing better is known, the first of the project's
// files with a prefix in configs, or its package.json.
func locate(p *npm.Project, found []gate.Finding, configs ...string) {
	if len(found) == 0 {
		return
	}
	about := npm.ManifestName
	for _, prefix := range slices.Backward(configs) {
		if i := slices.IndexFunc(p.Files, func(name string) bool { return strings.HasPrefix(name, prefix) }); i >= 0 {
			about = p.Files[i]
		}
	}
	tool.Locate(found, about, func(f gate.Finding) (tool.Place, bool) { return look(p, f, about) })
}

func look(p *npm.Project, f gate.Finding, about string) (tool.Place, bool) {
	switch {
	case f.Test != "":
		return written(p, f)
	case f.Rule == testrun.RuleTest:
		return p.Sources.Find(p.Sources.Below(".", testrun.IsTest), ending.Regexp())
	case f.Rule == testrun.RuleLoad && f.Path != "":
		return importing(p, f)
	case f.Path == "":
		return configured(p, f.Message, about)
	}
	return tool.Place{}, false
}

var (
	// ending matches code that ends a process of tests, or that nothing awaits.
	ending = lazyregexp.New(`\bprocess\.(?:exit|abort|reallyExit|kill)\(|\bPromise\.reject\(`)
	hook   = lazyregexp.New(`^"(before|after) (all|each)" hook(?:[^"]* (?:for|in) "(.*)")?`)
	setter = lazyregexp.New(`'([^'\n]+)'|"([^"\n]+)"|Invalid (\w+) value`)
)

// importing returns the place of the import of a missing module.
func importing(p *npm.Project, f gate.Finding) (tool.Place, bool) {
	m := testrun.Unresolved.FindStringSubmatch(f.Message)
	if m == nil {
		return tool.Place{}, false
	}
	text := string(p.Sources.Read(f.Path))
	for _, i := range gate.Imports(f.Path, text) {
		if gate.Module(f.Path, i.From) == gate.Module("", m[1]) {
			return tool.Place{Path: f.Path, Line: 1 + strings.Count(text[:i.Start], "\n")}, true
		}
	}
	return tool.Place{}, false
}

// written returns the place of a test, or a hook: where its title, or that of an enclosing suite, occurs once in the file.
func written(p *npm.Project, f gate.Finding) (tool.Place, bool) {
	titles := strings.Split(f.Test, " > ")
	files := []string{f.Path}
	if f.Path == "" {
		files = p.Sources.Below(".", testrun.IsTest)
	}
	if m := hook.FindStringSubmatch(titles[len(titles)-1]); m != nil {
		return hooked(p, files, titles, m)
	}
	return titled(p, files, titles[1:])
}

// titled returns the place of the innermost title that occurs once in one of some files.
func titled(p *npm.Project, files, titles []string) (tool.Place, bool) {
	for _, title := range slices.Backward(titles) {
		for _, file := range files {
			if line := lineOf(string(p.Sources.Read(file)), title); line > 0 {
				return tool.Place{Path: file, Line: line}, true
			}
		}
	}
	return tool.Place{}, false
}

// hooked returns the first hook of a kind in the file that contains its suite.
func hooked(p *npm.Project, files, titles, kind []string) (tool.Place, bool) {
	titles = append(slices.Clone(titles[1:len(titles)-1]), kind[3])
	near, found := titled(p, files, titles)
	if found {
		files = []string{near.Path}
	}
	names := map[string]string{"before all": `before(?:All)?`, "after all": `after(?:All)?`, "before each": `beforeEach`, "after each": `afterEach`}
	at, exact := p.Sources.Find(files, regexp.MustCompile(`\b`+names[kind[1]+" "+kind[2]]+`\(`))
	if exact {
		return at, true
	}
	return near, found
}

// configured returns the line of a settings file that contains the name in a message.
func configured(p *npm.Project, message, file string) (tool.Place, bool) {
	for _, m := range setter.FindAllStringSubmatch(message, -1) {
		line := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(m[1]+m[2]+m[3]))
		if at, found := p.Sources.Find([]string{file}, line); found {
			return at, true
		}
	}
	return tool.Place{}, false
}

// lineOf returns the line, from 1, of a quoted text; 0 if it does not occur exactly once.
func lineOf(text, title string) (line int) {
	for _, quote := range []string{"\"", "'", "`"} {
		before, after, is := strings.Cut(text, quote+title+quote)
		if is && line == 0 && !strings.Contains(after, quote+title+quote) {
			line = strings.Count(before, "\n") + 1
		} else if is {
			return 0
		}
	}
	return line
}
