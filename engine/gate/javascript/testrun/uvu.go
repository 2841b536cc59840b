package testrun

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

var (
	uvuSuite = lazyregexp.New(`^(?:.*\s)?[•✘\s]*\((\d+) / (\d+)\)$`)
	uvuFail  = lazyregexp.New(`^\s{2,}FAIL  `)
	uvuTotal = lazyregexp.New(`(?m)^  Total: +(\d+)\n  Passed: +(\d+)\n  Skipped: +(\d+)$`)
)

// uvuFile is uvu's report on one file: it names only failed tests.
type uvuFile struct {
	name        string
	passed, all int
	said        string
}

// ParseUvu parses the output of uvu. A file stands for its tests.
func ParseUvu(ran Ran, stdout, _ string, _ tool.Root) Results {
	var files []*uvuFile
	failing := false
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, " \r\n")
		if name := uvuName(ran.Sources, line); name != "" {
			files, failing = append(files, &uvuFile{name: name}), false
			continue
		}
		if len(files) == 0 {
			continue
		}
		f := files[len(files)-1]
		if m := uvuSuite.FindStringSubmatch(line); m != nil {
			passed, _ := strconv.Atoi(m[1])
			all, _ := strconv.Atoi(m[2])
			f.passed, f.all, failing = f.passed+passed, f.all+all, false
			continue
		}
		if failing = failing || uvuFail.MatchString(line); failing && len(f.said) < maxDetails {
			f.said += line + "\n"
		}
	}
	return uvuResults(files, stdout)
}

// uvuResults returns the results of the files, if they are all that uvu counted at the end.
func uvuResults(files []*uvuFile, stdout string) (s Results) {
	passing, all := 0, 0
	for _, f := range files {
		passing, all = passing+f.passed, all+f.all
		if f.all > 0 {
			s.files++
		}
		s.Tests = append(s.Tests, f.outcomes()...)
	}
	totals := uvuTotal.FindAllStringSubmatch(stdout, -1)
	if len(totals) == 0 {
		return s
	}
	last := totals[len(totals)-1]
	s.Ended = last[1] == strconv.Itoa(all) && last[2] == strconv.Itoa(passing)
	return s
}

// outcomes returns one for each test of a file; the first one stands for the file.
func (f *uvuFile) outcomes() (all []outcome) {
	for i := range f.all {
		o := outcome{file: f.name, titles: []string{path.Base(f.name)}, State: passed}
		if i > 0 {
			o.titles = []string{fmt.Sprintf("%s #%d", path.Base(f.name), i+1)}
		}
		if f.passed < f.all && (i == 0 || i >= f.passed) {
			o.State, o.said, o.parent = failed, f.said, i > 0
		}
		all = append(all, o)
	}
	return all
}

// uvuName returns the test file in a line: uvu omits the folder that it was given.
func uvuName(sources *tool.Sources, line string) string {
	if !CodeName.MatchString(line) || strings.HasPrefix(line, " ") {
		return ""
	}
	files := sources.Below(".", CodeName.MatchString)
	tests := func(file string) bool { return file == line || strings.HasSuffix(file, "/"+line) }
	if file := only(files, func(file string) bool { return tests(file) && IsTest(file) }); file != "" {
		return file
	}
	return only(files, tests)
}
