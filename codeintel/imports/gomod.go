package imports

import (
	"path"
	"strconv"
	"strings"
)

// goModule is what go.mod or go.work says, as far as imports depend on it.
type goModule struct {
	folder   string
	path     string            // empty for go.work
	replaced map[string]string // module path to the folder that stands in for it
}

// readGoModule reads go.mod or go.work. Lines that it does not know say nothing.
func readGoModule(folder string, content []byte) goModule {
	m := goModule{folder: folder, replaced: map[string]string{}}
	block := ""
	for line := range strings.Lines(string(content)) {
		line, _, _ = strings.Cut(line, "//")
		words := goWords(line)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case len(words) == 2 && words[1] == "(":
			block = words[0]
		case block != "":
			m.statement(block, words)
		default:
			m.statement(words[0], words[1:])
		}
	}
	return m
}

func goWords(line string) []string {
	words := strings.Fields(line)
	for i, word := range words {
		if text, err := strconv.Unquote(word); err == nil {
			words[i] = text
		}
	}
	return words
}

func (m *goModule) statement(verb string, words []string) {
	switch verb {
	case "module":
		if len(words) == 1 {
			m.path = words[0]
		}
	case "replace":
		m.replace(words)
	}
}

// replace reads "old [version] => folder". Another module in its place lies outside of the tree.
func (m *goModule) replace(words []string) {
	if len(words) < 3 || words[len(words)-2] != "=>" {
		return
	}
	target := words[len(words)-1]
	if !strings.HasPrefix(target, "./") && !strings.HasPrefix(target, "../") && target != "." && target != ".." {
		return
	}
	if folder, ok := within(m.folder, path.Clean(target)); ok {
		m.replaced[words[0]] = folder
	}
}
