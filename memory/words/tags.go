package words

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// topics are the words of a task that make tags.
var topics = []struct {
	tag   string
	words []string
}{
	{"test", []string{"test", "coverage"}},
	{"bugfix", []string{"fix", "bug", "error", "crash", "panic"}},
	{"refactor", []string{"refactor", "rename", "extract", "clean up"}},
	{"documentation", []string{"document", "readme", "docs"}},
	{"api", []string{"api", "endpoint", "route", "handler"}},
	{"database", []string{"database", "sql", "migration", "schema"}},
	{"performance", []string{"performance", "slow", "speed", "memory leak"}},
	{"security", []string{"security", "auth", "permission", "vulnerab"}},
	{"configuration", []string{"config", "setting", "flag"}},
}

// languages are the tags of files, by their extension.
var languages = map[string]string{
	".go": "go", ".py": "python", ".js": "javascript", ".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript", ".rs": "rust",
	".sh": "shell", ".java": "java", ".c": "c", ".cc": "cpp", ".cpp": "cpp", ".rb": "ruby", ".md": "markdown",
}

// Tags returns the tags of work: the languages of files, and of files that the task names, then the topics of the task.
func Tags(task string, files ...string) (tags []string) {
	named := strings.FieldsFunc(task, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"(),:;", r) })
	tags = Languages(slices.Concat(files, named)...)
	task = strings.ToLower(task)
	for _, t := range topics {
		if slices.ContainsFunc(t.words, func(w string) bool { return strings.Contains(task, w) }) {
			tags = append(tags, t.tag)
		}
	}
	return tags
}

// Languages returns the languages of files, each once.
func Languages(files ...string) (tags []string) {
	for _, file := range files {
		tag := languages[strings.ToLower(path.Ext(strings.TrimRight(file, ".?!")))]
		if tag != "" && !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}
