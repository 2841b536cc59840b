package javascript

import (
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// locate gives a place to the findings that have none, or no line: in the end that is the first of the project's files whose name
// begins as one of configs, or else its package.json.
func (p *project) locate(found []gate.Finding, configs ...string) {
	if len(found) == 0 {
		return
	}
	about := manifestName
	for _, prefix := range slices.Backward(configs) {
		if i := slices.IndexFunc(p.files, func(name string) bool { return strings.HasPrefix(name, prefix) }); i >= 0 {
			about = p.files[i]
		}
	}
	tool.Locate(found, about, func(f gate.Finding) (tool.Place, bool) { return p.look(f, about) })
}

const manifestName = "package.json"

func (p *project) look(f gate.Finding, about string) (tool.Place, bool) {
	switch {
	case f.Test != "":
		return p.written(f)
	case f.Rule == ruleTest:
		return p.sources.Find(p.sources.Below(".", IsTest), ending.Regexp())
	case f.Path == "":
		return p.configured(f.Message, about)
	}
	return tool.Place{}, false
}

var (
	// ending is what ends a process of tests, or is nothing that anybody waits for.
	ending = lazyregexp.New(`\bprocess\.(?:exit|abort|reallyExit|kill)\(|\bPromise\.reject\(`)
	hook   = lazyregexp.New(`^"(before|after) (all|each)" hook(?:[^"]* (?:for|in) "(.*)")?`)
	setter = lazyregexp.New(`'([^'\n]+)'|"([^"\n]+)"|Invalid (\w+) value`)
)

// written is where a test, or a hook, is written: its title stands once in its file, or that of a suite that it is in does.
func (p *project) written(f gate.Finding) (tool.Place, bool) {
	titles := strings.Split(f.Test, " > ")
	files := []string{f.Path}
	if f.Path == "" {
		files = p.sources.Below(".", IsTest)
	}
	if m := hook.FindStringSubmatch(titles[len(titles)-1]); m != nil {
		return p.hooked(files, titles, m)
	}
	return p.titled(files, titles[1:])
}

// titled is the innermost title that one of some files has once.
func (p *project) titled(files, titles []string) (tool.Place, bool) {
	for _, title := range slices.Backward(titles) {
		for _, file := range files {
			if line := lineOf(string(p.sources.Read(file)), title); line > 0 {
				return tool.Place{Path: file, Line: line}, true
			}
		}
	}
	return tool.Place{}, false
}

// hooked is the first hook of a kind in the file that has what the hook is for.
func (p *project) hooked(files, titles, kind []string) (tool.Place, bool) {
	titles = append(slices.Clone(titles[1:len(titles)-1]), kind[3])
	near, found := p.titled(files, titles)
	if found {
		files = []string{near.Path}
	}
	names := map[string]string{"before all": `before(?:All)?`, "after all": `after(?:All)?`, "before each": `beforeEach`, "after each": `afterEach`}
	at, exact := p.sources.Find(files, regexp.MustCompile(`\b`+names[kind[1]+" "+kind[2]]+`\(`))
	if exact {
		return at, true
	}
	return near, found
}

// configured is the line of a settings file that has what a message names.
func (p *project) configured(message, file string) (tool.Place, bool) {
	for _, m := range setter.FindAllStringSubmatch(message, -1) {
		line := regexp.MustCompile(`(?m)^.*` + regexp.QuoteMeta(m[1]+m[2]+m[3]))
		if at, found := p.sources.Find([]string{file}, line); found {
			return at, true
		}
	}
	return tool.Place{}, false
}

// lineOf is the line, from 1, on which a text in quotes stands; 0 where there is none, or more than one.
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
