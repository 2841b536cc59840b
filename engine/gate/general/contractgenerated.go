package general

import (
	"path"
	"slices"
	"strings"
)

// generated recognizes missing files that a tool may create: ignored ones, and those named in configurations.
type generated struct {
	ignored   []string // patterns, without slashes around them
	mentioned []string // texts of configurations
}

// configurations are files that name generated files.
var configurations = set("pyproject.toml setup.py setup.cfg hatch.toml meson.build package.json CMakeLists.txt Makefile makefile tsconfig.json MANIFEST.in")

func generatedIn(f Texts) (g generated) {
	for _, name := range f.Paths {
		base := path.Base(name)
		if base != ".gitignore" && base != ".npmignore" && !configurations[base] {
			continue
		}
		text, err := f.Read(name)
		switch {
		case err != nil:
		case configurations[base]:
			g.mentioned = append(g.mentioned, string(text))
		default:
			g.ignored = append(g.ignored, patterns(string(text))...)
		}
	}
	return g
}

// patterns returns the patterns of an ignore file. It skips negated patterns, because not reporting a file is safer.
func patterns(text string) (all []string) {
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimSpace(line), "/")
		if line == "" || line[0] == '#' || line[0] == '!' || strings.Trim(line, "*/") == "" {
			continue
		}
		all = append(all, line)
	}
	return all
}

// built are folders that tools write to.
var built = set("dist build out gen generated __generated__ _generated coverage target esm cjs node_modules .next .nuxt .svelte-kit")

// endings are the possible endings of a missing file.
var endings = []string{"", ".py", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".mts", ".cts", ".json"}

// likely reports whether a file, given with or without its ending, may be created by a tool.
func (g generated) likely(missing string) bool {
	parts := strings.Split(missing, "/")
	if slices.ContainsFunc(parts, func(part string) bool { return built[part] }) {
		return true
	}
	for _, ending := range endings {
		name := missing + ending
		if slices.ContainsFunc(g.ignored, func(pattern string) bool { return ignores(pattern, name) }) {
			return true
		}
		base := path.Base(name)
		if path.Ext(base) != "" && slices.ContainsFunc(g.mentioned, func(text string) bool { return strings.Contains(text, base) }) {
			return true
		}
	}
	return slices.ContainsFunc(g.mentioned, func(text string) bool { return strings.Contains(text, `"rootDirs"`) })
}

// ignores reports whether an ignore pattern may match a path or a folder above it. It matches more than git does.
func ignores(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "**/")
	last := path.Base(strings.TrimSuffix(pattern, "/**"))
	for up := name; up != "."; up = path.Dir(up) {
		if whole, _ := path.Match(pattern, up); whole {
			return true
		}
		if part, _ := path.Match(last, path.Base(up)); part && last != "*" {
			return true
		}
	}
	return false
}
