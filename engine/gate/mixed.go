package gate

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/jsonc"

	"forge/internal/lazyregexp"
)

// Settings returns the parts of a mixed file that control checks: tables of tools in a pyproject.toml, test scripts in a
// package.json. The text is canonical: the rest of the file, comments and blanks do not change it. Empty means that there are none.
// An unreadable file counts as a whole.
func Settings(name, text string) string {
	if text == "" {
		return ""
	}
	switch base := path.Base(name); {
	case base == "package.json":
		return packageSettings(text)
	case base == "deno.json" || base == "deno.jsonc":
		return jsonSettings(text, "lint", "fmt", "test", "tasks", "compilerOptions", "exclude")
	case base == "pyproject.toml":
		return pyprojectSettings(text)
	case base == "setup.cfg":
		return configSettings(text)
	case base == "Cargo.toml":
		return cargoSettings(text)
	case base == "go.work":
		return strings.Join(slices.Sorted(slices.Values(moduleSettings(text, "use"))), "\n")
	case base == "conftest.py" && hooks.MatchString(text), strings.HasPrefix(base, "vite.config.") && vitest.MatchString(text):
		return text
	case base == "go.mod":
		return strings.Join(slices.Sorted(slices.Values(moduleSettings(text, "ignore"))), "\n")
	case strings.HasSuffix(base, "_test.go"):
		return constraints(text)
	}
	return ""
}

var (
	// hooks of a conftest.py control which tests exist and what they report.
	hooks = lazyregexp.New(`(?m)\bpytest_(?:runtest|pyfunc|collect|ignore|report|itemcollected|sessionfinish|plugins)|^collect_ignore`)
	// vitest matches where Vite's settings are those of Vitest.
	vitest = lazyregexp.New(`\btest['"]?\s*:`)
)

// Overrides returns the settings in a new file that would override those of the folders above it. The scripts, profiles and
// versions of a new project do not; but a new Go module takes its folder out of the surrounding module, and no gate of the run
// checks that folder.
func Overrides(name, text string) string {
	switch base := path.Base(name); {
	case base == "package.json":
		return jsonSettings(text, packageTools...)
	case base == "pyproject.toml", base == "setup.cfg", base == "go.work", base == "conftest.py", strings.HasPrefix(base, "vite.config."):
		return Settings(name, text)
	case base == "go.mod" && base != name && !strings.Contains(name, "testdata/"):
		return text
	}
	return ""
}

// jsonSettings renders some keys of an object.
func jsonSettings(text string, keys ...string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(jsonc.ToJSON([]byte(text)), &all) != nil {
		return text
	}
	kept := map[string]any{}
	for _, key := range keys {
		var value any
		if raw, is := all[key]; is && json.Unmarshal(raw, &value) == nil {
			kept[key] = value
		}
	}
	if len(kept) == 0 {
		return ""
	}
	rendered, _ := json.Marshal(kept) // it was JSON
	return string(rendered)
}

var (
	packageTools = []string{"eslintConfig", "eslintIgnore", "prettier", "jest", "mocha", "vitest", "nyc", "c8", "ava", "tap", "xo", "standard"}
	// checking matches scripts that check, by their names and the programs they start.
	checking = lazyregexp.New(`(?i)test|spec|lint|check|type|format|fmt|prettier|tsc\b|jest|mocha|c8\b|nyc\b|\bava\b|\btap\b|biome|cover|verify|valid`)
)

// packageSettings returns those of a package.json: the tools' own keys, and the scripts that check, with the scripts that they
// call.
func packageSettings(text string) string {
	var manifest map[string]json.RawMessage
	var all map[string]any
	if json.Unmarshal([]byte(text), &manifest) != nil || manifest["scripts"] != nil && json.Unmarshal(manifest["scripts"], &all) != nil {
		return text
	}
	scripts := map[string]any{}
	for name, script := range all {
		if command, _ := script.(string); checking.MatchString(name) || checking.MatchString(command) {
			scripts[name] = script
		}
	}
	for again := true; again; {
		again = false
		for name, script := range all {
			if scripts[name] == nil && calledBy(name, scripts) {
				scripts[name], again = script, true
			}
		}
	}
	tools := jsonSettings(text, packageTools...)
	if len(scripts) == 0 {
		return tools
	}
	rendered, _ := json.Marshal(scripts) // it was JSON
	return tools + string(rendered)
}

// calledBy reports whether one of the scripts contains a name as a word.
func calledBy(name string, scripts map[string]any) bool {
	for _, script := range scripts {
		if command, _ := script.(string); slices.Contains(strings.Fields(command), name) {
			return true
		}
	}
	return false
}

var pythonTools = lazyregexp.New(`^tool\.(?:ruff|black|isort|flake8|autopep8|yapf|mypy|pyright|basedpyright|pytest|pylint|coverage|bandit|radon|pydocstyle|tox|nox|hatch\.envs)(?:\.|$)`)

func pyprojectSettings(text string) string {
	file, ok := readTOML(text)
	if !ok {
		return text
	}
	var kept []string
	values(file, "", func(name string, value any) {
		if pythonTools.MatchString(name) {
			kept = append(kept, setting(name, value))
		}
	})
	return strings.Join(kept, "\n")
}

var configSections = lazyregexp.New(`^(?:flake8|mypy|pytest|pylint|coverage|pycodestyle|pydocstyle|isort|bandit|radon|yapf|tool:|pep8|testenv|tox)`)

// configSettings returns those of a setup.cfg.
func configSettings(text string) string {
	var kept []string
	in := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
			continue
		case line[0] == '[':
			in = configSections.MatchString(trimmed[1:])
		}
		if in {
			kept = append(kept, trimmed)
		}
	}
	return strings.Join(kept, "\n")
}

var (
	cargoTables = lazyregexp.New(`^(?:workspace\.)?lints(?:\.|$)|^profile\.(?:test|dev|bench)(?:\.|$)|^package\.auto(?:tests|bins|examples|benches)$|^workspace\.exclude$|^(?:patch|replace)(?:\.|$)`)
	// cargoTargets are the tables of a package's targets.
	cargoTargets = []string{"lib", "bin", "test", "example", "bench"}
	cargoTarget  = lazyregexp.New(`^(?:lib|bin|test|example|bench)\.(?:harness|test|doctest|required-features)$|^(?:lib|test)\.path$`)
)

// cargoSettings returns those of a Cargo.toml: lints, the profiles for tests, and whether targets have tests.
func cargoSettings(text string) string {
	file, ok := readTOML(text)
	if !ok {
		return text
	}
	var kept []string
	for _, kind := range cargoTargets {
		for _, target := range tables(file[kind]) {
			values(target, kind+".", func(name string, value any) {
				if cargoTarget.MatchString(name) {
					kept = append(kept, fmt.Sprint(target["name"])+" "+setting(name, value))
				}
			})
		}
		delete(file, kind)
	}
	values(file, "", func(name string, value any) {
		if cargoTables.MatchString(name) {
			kept = append(kept, setting(name, value))
		}
	})
	return strings.Join(kept, "\n")
}

// tables returns the tables in a list, or a single table.
func tables(value any) (all []map[string]any) {
	list, is := value.([]any)
	if !is {
		list = []any{value}
	}
	for _, one := range list {
		if table, is := one.(map[string]any); is {
			all = append(all, table)
		}
	}
	return all
}

// moduleSettings returns those of a go.mod or a go.work: the version of Go, the replacements of modules, and, by more, the folders.
func moduleSettings(text, more string) (kept []string) {
	block := ""
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case words[0] == ")":
			block = ""
			continue
		case len(words) == 2 && words[1] == "(":
			block = words[0]
			continue
		case block != "":
			words = append([]string{block}, words...)
		}
		if slices.Contains([]string{"go", "toolchain", "godebug", "replace", more}, words[0]) {
			kept = append(kept, strings.Join(words, " "))
		}
	}
	return kept
}

var constraint = lazyregexp.New(`(?m)^//(?:go:build| *\+build)\b.*$`)

// constraints returns the build constraints of a Go file.
func constraints(text string) string { return strings.Join(constraint.FindAllString(text, -1), "\n") }
