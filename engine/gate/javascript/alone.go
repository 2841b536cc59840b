package javascript

import (
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
)

// alone returns a suite that runs only some tests, by name or by file. If the runner cannot select a part without changing the
// project's own arguments, more tests run.
func alone(p *npm.Project, s suite, c npm.Call, scope gate.Scope) suite {
	files, titles := filesAndTitles(scope.Only)
	at := slices.IndexFunc(runners, func(r runner) bool { return r.program == s.program })
	switch {
	case strings.HasPrefix(s.program, "node") || s.program == "tsx":
		if files != nil {
			s.argv = append([]string{s.argv[0]}, nodeArguments(p, c, npm.TextsOf(npm.WordsOf(files)))...)
		}
		return s
	case at < 0:
		return s
	}
	r := runners[at]
	r.last = slices.Clip(r.last)
	if !scope.Files && r.byTitle != "" {
		r.last = append(r.last, r.byTitle, "(?:"+strings.Join(titles, "|")+")$")
	}
	if chosen, ok := selected(p, c); ok && files != nil && !slices.ContainsFunc(files, func(file string) bool { return !chosen.Takes(file) }) {
		c = chosen.To(c, files)
		one, _ := suiteOf(p, c, files...)
		s.parse = one.parse
	} else if files != nil && r.byFile != nil && !namesFiles(r, c) {
		r.last = slices.Concat(r.last, *r.byFile, npm.TextsOf(npm.WordsOf(files)))
	}
	s.argv = append([]string{s.argv[0]}, r.arguments(c, p.Major(r.program))...)
	return s
}

// namesFiles reports whether a script passes a runner words that may be files, or values of options.
func namesFiles(r runner, c npm.Call) bool {
	return slices.ContainsFunc(keep(c.Args, r.without), func(w npm.Word) bool {
		return !strings.HasPrefix(w.Text, "-") && !slices.Contains(r.words, w.Text)
	})
}

// filesAndTitles splits names of tests into their files, none if one is unknown, and patterns of their full titles.
func filesAndTitles(tests []string) (files, titles []string) {
	known := true
	for _, test := range tests {
		parts := strings.Split(test, " > ")
		if parts[0] == "?" || parts[0] == "" {
			known = false
		} else if !slices.Contains(files, parts[0]) {
			files = append(files, parts[0])
		}
		titles = append(titles, regexp.QuoteMeta(strings.Join(parts[1:], " ")))
	}
	if !known {
		files = nil
	}
	return files, titles
}
