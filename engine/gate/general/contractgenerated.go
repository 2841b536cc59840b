package general

import (
	"path"
	"slices"
	"strings"
)

// generated recognises missing files that a tool may make: those that git ignores, and those that configurations name.
type generated struct {
	ignored   []string // patterns, without slashes around them
	mentioned []string // texts of configurations
}

// configurations are files that say what is made, and where.
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

// patterns are those of a file that lists ignored files. A negated pattern is skipped: its files are rather not
// reported.
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

// endings are those that a missing file may have.
var endings = []string{"", ".py", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".mts", ".cts", ".json"}

// likely reports whether a file, its ending left out or not, may be made by a tool.
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

// ignores reports whether a pattern of git may mean a path or a folder above it. It means rather more than git does.
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
