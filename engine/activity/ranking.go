package activity

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/engine/step"
)

// ranked is a file with its relevance to the task.
type ranked struct {
	step.File
	score int
}

// relevant ranks the files of a tree for a task: the focus, its neighbours, then files whose path or text
// has words of the task. The order depends only on the tree and the task.
func relevant(t Tree, paths []string, c step.ContextCall) []ranked {
	words := words(c.Task)
	var files []ranked
	for _, p := range paths {
		text, err := t.ReadFile(p)
		if err != nil || len(text) > maxFileBytes || !isText(text) {
			continue // deleted since, or not readable for a model
		}
		f := step.File{Path: p, Text: string(text)}
		if score := score(f, c.Focus, words); score > 0 {
			files = append(files, ranked{f, score})
		}
	}
	slices.SortStableFunc(files, func(a, b ranked) int { return cmp.Compare(b.score, a.score) })
	return files
}

func score(f step.File, focus string, words []string) int {
	score := 0
	switch {
	case f.Path == focus:
		return 1 << 20
	case focus != "" && path.Dir(f.Path) == path.Dir(focus):
		score = 1 << 10
	}
	if path.Base(f.Path) == "go.mod" {
		score += 8
	}
	lowerPath, lowerText := strings.ToLower(f.Path), strings.ToLower(f.Text)
	for _, w := range words {
		if strings.Contains(lowerPath, w) {
			score += 16
		}
		score += min(strings.Count(lowerText, w), 8)
	}
	return score
}

// words returns the distinct words of a task with at least three letters, in lower case.
func words(task string) []string {
	fields := strings.FieldsFunc(strings.ToLower(task), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	})
	fields = slices.DeleteFunc(fields, func(w string) bool { return len(w) < 3 })
	slices.Sort(fields)
	return slices.Compact(fields)
}
