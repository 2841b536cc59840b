package npm

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

var avaOptions = options{
	valued: []string{"--concurrency", "-c", "--match", "-m", "--node-arguments", "--timeout", "-T"},
	flags:  []string{"--serial", "-s"},
	unsure: []string{"--config"},
}

// avaSettings are the settings of AVA in a package.json that affect the choice of files.
type avaSettings struct {
	Files      []string
	Extensions json.RawMessage
	Require    json.RawMessage
	TypeScript json.RawMessage
}

// avaFiles interprets a call of AVA, whose words filter the test files that it finds.
// https://github.com/avajs/ava/blob/main/docs/05-command-line.md
func avaFiles(p *Project, c Call) (s Selection, ok bool) {
	rest, named, ok := avaOptions.split(c.Args)
	var set avaSettings
	if !ok || p.HasAny("ava.config.") || len(p.Ava) > 0 && json.Unmarshal(p.Ava, &set) != nil || set.TypeScript != nil || set.Extensions != nil {
		return s, false
	}
	finds, ok := avaFinds(p, set.Files)
	if !ok {
		return s, false
	}
	below := func(string, string) bool { return true }
	chosen, ok := taking(p, TextsOf(named), below)
	return Selection{rest: rest, loads: append(loaded(rest), wordsIn(string(set.Require))...), Takes: func(file string) bool {
		return finds(file) && (len(named) == 0 || chosen(file))
	}}, ok
}

// wordsIn returns the words of settings: some may be files that are loaded before the tests.
func wordsIn(settings string) []string {
	return strings.FieldsFunc(settings, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',:[]{}", r) })
}

var (
	avaEnding = lazyregexp.New(`\.(?:js|cjs|mjs)$`)
	avaTest   = lazyregexp.New(`^(?:(?:src|source)/)?test\.\w+$|(?:^|/)(?:__tests__|tests?)/|(?:^|/)test-[^/]*$|\.(?:test|spec)\.\w+$`)
	avaHelper = lazyregexp.New(`(?:^|/)__tests__/(?:.*/)?__(?:helper|fixture)s?__/|(?:^|/)tests?/(?:.*/)?(?:helper|fixture)s?/|(?:^|/)(?:bower_components|coverage)/`)
)

// avaFinds returns the files that AVA takes for tests, by the patterns of its settings, if any.
func avaFinds(p *Project, patterns []string) (finds func(file string) bool, ok bool) {
	var in, out []string
	for _, pattern := range patterns {
		if without, is := strings.CutPrefix(pattern, "!"); is {
			out = append(out, without)
		} else {
			in = append(in, pattern)
		}
	}
	takes, ok := taking(p, in, nil)
	leaves, also := taking(p, out, nil)
	return func(file string) bool {
		is := avaTest.MatchString(file) && !avaHelper.MatchString(file)
		if len(in) > 0 {
			is = takes(file)
		}
		return is && avaEnding.MatchString(file) && !strings.HasPrefix(path.Base(file), "_") && !strings.HasPrefix(path.Base(file), ".") && !leaves(file)
	}, ok && also
}

var tapOptions = options{
	valued: []string{"-j", "--jobs", "-t", "--timeout", "-g", "--grep", "--before", "--after", "--node-arg", "--test-arg", "--test-env", "--nyc-arg", "--coverage-map"},
	flags:  []string{"--ts", "--jsx", "--flow", "--strict", "--expose-gc", "--comments"},
	unsure: []string{"--test-regex", "--test-ignore", "--files", "--include", "--exclude", "--changed", "--save", "--rcfile", "--only-changed"},
}

var (
	tapTest   = lazyregexp.New(`(?:(?:/|^)(?:tests?|__tests?__)/.*|\.(?:tests?|spec)|^tests?)\.(?:[mc]js|[jt]sx?)$`)
	tapTest18 = lazyregexp.New(`(?:(?:/|^)(?:tests?|__tests?__)/.*|\.(?:tests?|spec)|(?:^|/)tests?)\.(?:[mc]?[jt]s|[jt]sx)$`)
	tapLeaves = lazyregexp.New(`(?:^|/)(?:fixtures?|dist|tap-snapshots|tap-testdir-[^/]*)/`)
	// tapChoice matches the settings of tap that choose files.
	tapChoice = lazyregexp.New(`(?m)(?:^|[{,\s"'])(?:files|include|exclude|test-regex|test-ignore|extends|plugin)["']?\s*:`)
)

// tapFiles interprets a call of tap 16 or newer. https://node-tap.org/docs/cli
func tapFiles(p *Project, c Call) (s Selection, ok bool) {
	c.Args = withoutFirst(c.Args, "run", "test")
	rest, named, ok := tapOptions.split(c.Args)
	rc, _ := p.Read(".taprc", MaxManifest) // a missing file is empty
	major := p.Major("tap")
	if !ok || major < 16 || tapChoice.Match(rc) || tapChoice.Match(p.Tap) {
		return s, false
	}
	s = Selection{rest: rest, loads: append(loaded(rest), wordsIn(string(rc)+" "+string(p.Tap))...)}
	if len(named) == 0 {
		tests := tapTest
		if major >= 18 {
			tests = tapTest18
		}
		s.Takes = func(file string) bool { return tests.MatchString(file) && !tapLeaves.MatchString(file) }
		return s, true
	}
	s.Takes, ok = taking(p, TextsOf(named), nil)
	return s, ok
}

// withoutFirst drops the first word if it is one of some.
func withoutFirst(words []Word, first ...string) []Word {
	if len(words) > 0 && slices.Contains(first, words[0].Text) {
		return words[1:]
	}
	return words
}

var tapeOptions = options{valued: []string{"-r", "--require"}, flags: []string{"--only", "--strict"}, unsure: []string{"-i", "--ignore", "--ignore-pattern"}}

// tapeFiles interprets a call of tape, which names all files.
func tapeFiles(p *Project, c Call) (s Selection, ok bool) {
	rest, named, ok := tapeOptions.split(c.Args)
	if !ok {
		return s, false
	}
	takes, ok := taking(p, TextsOf(named), nil)
	return Selection{rest: rest, loads: loaded(rest), Takes: takes}, ok
}

var uvuOptions = options{valued: []string{"-r", "--require"}, unsure: []string{"-i", "--ignore", "-C", "--cwd", "-b", "--bail"}}

// uvuFiles interprets a call of uvu: a folder, and a pattern of its files. https://github.com/lukeed/uvu/blob/master/docs/cli.md
func uvuFiles(p *Project, c Call) (s Selection, ok bool) {
	rest, named, ok := uvuOptions.split(c.Args)
	if !ok || len(named) > 2 {
		return s, false
	}
	dir, pattern := ".", `(?i)(?:(?:/|^)(?:tests?|__tests?__)/.*|\.(?:tests?|spec)|^tests?)\.(?:[mc]js|[jt]sx?)$`
	if len(named) > 0 {
		dir, pattern = path.Clean(named[0].Text), `\w\.(?:[mc]js|[jt]sx?)$`
	}
	if len(named) > 1 {
		pattern = "(?i)" + named[1].Text
	}
	compiled, err := regexp.Compile(pattern)
	inside := func(file string) (string, bool) {
		if dir == "." {
			return file, true
		}
		return strings.CutPrefix(file, dir+"/")
	}
	takes := func(file string) bool {
		name, is := inside(file)
		return is && compiled.MatchString(name)
	}
	names := func(files []string) []Word {
		var all []string
		for _, file := range files {
			name, _ := inside(file)
			all = append(all, regexp.QuoteMeta(name))
		}
		return []Word{{Text: dir}, {Text: "^(?:" + strings.Join(all, "|") + ")$", Quoted: true}}
	}
	return Selection{rest: rest, loads: loaded(rest), Takes: takes, names: names}, err == nil && isFolder(p, dir)
}

// NodeValues are the options of Node.js with a value in the next word.
var NodeValues = []string{
	"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--env-file-if-exists", "--input-type", "--tsconfig",
	"--test-concurrency", "--test-timeout", "--test-name-pattern", "--test-skip-pattern", "--test-shard", "--test-isolation", "--experimental-test-isolation",
}

var nodeOptions = options{valued: NodeValues, flags: []string{"--test-only", "--test-force-exit"}, unsure: []string{"--test-shard", "--experimental-default-config-file"}}

var (
	nodeTests = lazyregexp.New(`(?:^|/)(?:test/.+|test|test-[^/]+|[^/]+[._-]test)\.[cm]?js$`)
	tsxTests  = lazyregexp.New(`(?:^|/)(?:test/.+|test|test-[^/]+|[^/]+[._-]test)\.[cm]?[jt]s$`)
)

// nodeFiles interprets a call of node --test, or of tsx --test. Node.js reads quoted patterns since version 21.
// https://nodejs.org/api/test.html#running-tests-from-the-command-line
func nodeFiles(p *Project, c Call) (s Selection, ok bool) {
	rest, named, ok := nodeOptions.split(c.Args)
	if !ok {
		return s, false
	}
	s = Selection{rest: append([]Word{{Text: "--test"}}, rest...), loads: loaded(rest)}
	tests := nodeTests
	if c.Program == "tsx" {
		tests = tsxTests
	}
	if len(named) == 0 { // newer versions of Node.js accept TypeScript, too
		s.Takes = tests.MatchString
		return s, tests == tsxTests || len(p.Sources.Below(".", tsxTests.MatchString)) == len(p.Sources.Below(".", nodeTests.MatchString))
	}
	byShell, others := shellPatterns(p, named)
	takes, ok := taking(p, others, func(dir, file string) bool {
		return tests.MatchString(path.Join(path.Base(dir), strings.TrimPrefix(file, dir+"/")))
	})
	s.Takes = func(file string) bool { return byShell(file) || takes(file) }
	return s, ok
}

// shellPatterns returns the files that unquoted patterns match; others are the remaining words.
func shellPatterns(p *Project, words []Word) (takes func(file string) bool, others []string) {
	var patterns []string
	for _, w := range words {
		if !w.Quoted && strings.ContainsAny(w.Text, "*?[") && !slices.Equal(p.Expanded(w.Text), []string{w.Text}) {
			patterns = append(patterns, path.Clean(w.Text))
		} else {
			others = append(others, w.Text)
		}
	}
	return func(file string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			is, err := path.Match(pattern, file)
			return err == nil && is
		})
	}, others
}
