package npm

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"
	"go.yaml.in/yaml/v3"
)

// mochaLists are options of Mocha that may be repeated with all values in effect.
var mochaLists = []string{"extension", "file", "global", "globals", "ignore", "exclude", "node-option", "reporter-option", "reporter-options", "require", "spec", "watch-files", "watch-ignore"}

var mochaOptions = options{
	valued: append([]string{
		"--fgrep", "-f", "--grep", "-g", "--jobs", "-j", "--node-option", "-n", "-r", "--retries", "--slow", "-s", "--timeout", "--timeouts", "-t", "--ui", "-u",
	}, dashed(mochaLists)...),
	flags: []string{
		"--allow-uncaught", "--async-only", "--check-leaks", "--clear-screen", "--delay", "--diff", "--dry-run", "--exit", "--fail-hook-affected-tests",
		"--pass-on-failing-test-suite", "--fail-zero", "--forbid-only", "--forbid-pending", "--full-trace", "--inline-diffs", "--invert", "-i", "--parallel", "-p",
		"--posix-exit-codes", "--recursive", "--sort",
	},
	unsure: []string{"--config", "--package", "--opts"},
}

func dashed(names []string) (all []string) {
	for _, name := range names {
		all = append(all, "--"+name)
	}
	return all
}

// mochaFiles interprets a call of Mocha with its settings. Mocha adds the files of its settings to those of the call: if the
// settings name files, the call gets the settings as options instead of their file. https://mochajs.org/#merging
func mochaFiles(p *Project, c Call) (s Selection, ok bool) {
	set, ok := mochaSettings(p)
	if !ok || slices.ContainsFunc(c.Env, func(entry string) bool { return strings.HasPrefix(entry, "MOCHA_OPTIONS=") }) {
		return s, false
	}
	rest, named, ok := mochaOptions.split(append(set.words(c.Args), c.Args...))
	if !ok {
		return s, false
	}
	patterns, own := mochaOptions.values(rest, "--spec")
	patterns = append(patterns, TextsOf(named)...)
	if _, has := set["spec"]; has {
		s.rest = append([]Word{{Text: "--no-config"}, {Text: "--no-package"}}, own...)
	} else {
		called, _, _ := mochaOptions.split(c.Args)
		_, s.rest = mochaOptions.values(called, "--spec")
	}
	_, others := mochaOptions.values(own, "--ignore", "--exclude", "--extension")
	s.loads = loaded(others)
	s.Takes, ok = mochaTakes(p, own, patterns)
	return s, ok
}

// mochaTakes returns the files that Mocha executes, by options and patterns.
func mochaTakes(p *Project, words []Word, patterns []string) (takes func(file string) bool, ok bool) {
	endings, _ := mochaOptions.values(words, "--extension")
	endings = listed(endings)
	if len(endings) == 0 {
		endings = []string{"js", "cjs", "mjs"}
	}
	left, _ := mochaOptions.values(words, "--ignore", "--exclude")
	recursive := slices.ContainsFunc(words, func(w Word) bool { return w.Text == "--recursive" || w.Text == "--recursive=true" })
	if len(patterns) == 0 {
		patterns = []string{"test"}
	}
	ended := func(file string) bool {
		return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(file, "."+strings.TrimPrefix(ending, ".")) })
	}
	in, ok := taking(p, withEndings(p, listed(patterns), endings), func(dir, file string) bool {
		return ended(file) && !strings.HasPrefix(path.Base(file), ".") && (recursive || path.Dir(file) == dir)
	})
	out, also := taking(p, listed(left), func(string, string) bool { return false })
	return func(file string) bool { return in(file) && !out(file) }, ok && also
}

// withEndings adds the endings that Mocha tries to names that match no files.
func withEndings(p *Project, patterns, endings []string) (all []string) {
	for _, pattern := range patterns {
		all = append(all, pattern)
		if _, err := os.Stat(filepath.Join(p.Dir, filepath.FromSlash(pattern))); err == nil || strings.ContainsAny(pattern, "*?{") {
			continue
		}
		for _, ending := range endings {
			all = append(all, pattern+"."+strings.TrimPrefix(ending, "."))
		}
	}
	return all
}

// listed splits the values of an option at commas.
func listed(values []string) (all []string) {
	for _, value := range values {
		if strings.Contains(value, "{") {
			all = append(all, value)
		} else {
			all = append(all, strings.Split(value, ",")...)
		}
	}
	return all
}

// mochaSet are settings of Mocha, by option name.
type mochaSet map[string]any

// mochaNames are the settings files of Mocha, in its order. https://mochajs.org/#configuration-format
var mochaNames = []string{".mocharc.cjs", ".mocharc.js", ".mocharc.mjs", ".mocharc.yaml", ".mocharc.yml", ".mocharc.jsonc", ".mocharc.json"}

// mochaSettings returns those of the project. Not ok: they are unreadable, ambiguous, or above the project.
func mochaSettings(p *Project) (set mochaSet, ok bool) {
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		for _, name := range mochaNames {
			if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
				continue
			}
			written, err := p.Read(name, MaxManifest)
			if err != nil || dir != p.Dir || strings.HasSuffix(name, "js") || p.Mocha != nil {
				return nil, false
			}
			return readMochaSet(written, strings.Contains(name, ".json"))
		}
		if dir == p.Top || dir == filepath.Dir(dir) {
			return readMochaSet(p.Mocha, true)
		}
	}
}

// readMochaSet reads settings in YAML, or in JSON with comments. Not ok: they have nested values, or extend settings elsewhere.
func readMochaSet(text []byte, isJSON bool) (set mochaSet, ok bool) {
	if isJSON {
		text = jsonc.ToJSON(text)
	}
	return set, yaml.Unmarshal(text, &set) == nil && set.isPlain()
}

func (m mochaSet) isPlain() bool {
	for name, value := range m {
		list, is := value.([]any)
		if !is {
			list = []any{value}
		}
		nested := slices.ContainsFunc(list, func(v any) bool {
			switch v.(type) {
			case string, int, float64, bool:
				return false
			}
			return true
		})
		if nested || name == "" || name == "extends" || name == "config" || name == "package" {
			return false
		}
	}
	return true
}

// words returns the settings as options, except those that the call sets.
func (m mochaSet) words(call []Word) (all []Word) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		has := func(w Word) bool {
			option, _, _ := strings.Cut(w.Text, "=")
			return slices.Contains([]string{"--" + name, "--no-" + name, "-" + name[:1]}, option)
		}
		if !slices.Contains(mochaLists, name) && slices.ContainsFunc(call, has) {
			continue
		}
		switch value := m[name].(type) {
		case bool:
			option := "--"
			if !value {
				option = "--no-"
			}
			all = append(all, Word{Text: option + name})
		case []any:
			for _, one := range value {
				all = append(all, Word{Text: fmt.Sprintf("--%s=%v", name, one)})
			}
		default:
			all = append(all, Word{Text: fmt.Sprintf("--%s=%v", name, value)})
		}
	}
	return all
}
