package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/engine/prompt"
)

// How much of the tree a model is shown.
const (
	maxListed     = 400       // paths
	maxShownBytes = 160 << 10 // of file contents together
	maxFileBytes  = 64 << 10
)

// request is the task and what the person pointed at: the end of every document's stable part.
func (r *run) request() []prompt.Section {
	sections := []prompt.Section{{Name: "Task", Text: r.task.Text}}
	f := r.task.Focus
	if f.Path == "" {
		return sections
	}
	where := f.Path
	if f.StartLine > 0 {
		where = fmt.Sprintf("%s, lines %d to %d", f.Path, f.StartLine, f.EndLine)
	}
	sections = append(sections, prompt.Section{Name: "What the task points at", Text: where})
	if len(f.Diagnostics) > 0 {
		sections = append(sections, prompt.Section{Name: "Diagnostics to fix", Text: strings.Join(f.Diagnostics, "\n"), Data: true})
	}
	return sections
}

// overview lists the files of the tree.
func (r *run) overview(ctx context.Context) (prompt.Section, error) {
	paths, err := r.Tree.List(ctx)
	if err != nil {
		return prompt.Section{}, err
	}
	more := ""
	if len(paths) > maxListed {
		more = fmt.Sprintf("\n… and %d more", len(paths)-maxListed)
		paths = paths[:maxListed]
	}
	return prompt.Section{Name: "Files", Text: strings.Join(paths, "\n") + more, Data: true, Cut: 3}, nil
}

// context is the overview and the contents of the files that matter most for the task.
func (r *run) context(ctx context.Context) ([]prompt.Section, error) {
	list, err := r.overview(ctx)
	if err != nil {
		return nil, err
	}
	files, err := r.relevant(ctx)
	if err != nil {
		return nil, err
	}
	sections := []prompt.Section{list}
	room := maxShownBytes
	for _, f := range files {
		if room -= len(f.text); room < 0 {
			break
		}
		sections = append(sections, prompt.Section{Name: f.path, Text: f.text, Data: true, Cut: 1})
	}
	return sections, nil
}

// sourceFile is a file of the tree with how much it has to do with the task.
type sourceFile struct {
	path, text string
	score      int
}

// relevant ranks the files of the tree for the task: what the person pointed at, its neighbours, then
// files whose path or text has words of the task. The order depends on nothing but tree and task.
func (r *run) relevant(ctx context.Context) ([]sourceFile, error) {
	paths, err := r.Tree.List(ctx)
	if err != nil {
		return nil, err
	}
	words := words(r.task.Text)
	var files []sourceFile
	for _, p := range paths {
		text, err := r.Tree.ReadFile(p)
		if err != nil || len(text) > maxFileBytes || !utf8.Valid(text) {
			continue // gone meanwhile, or nothing a model could read
		}
		f := sourceFile{path: p, text: string(text)}
		if f.score = r.score(f, words); f.score > 0 {
			files = append(files, f)
		}
	}
	slices.SortStableFunc(files, func(a, b sourceFile) int { return cmp.Compare(b.score, a.score) })
	return files, nil
}

func (r *run) score(f sourceFile, words []string) int {
	score := 0
	focus := r.task.Focus.Path
	switch {
	case f.path == focus:
		return 1 << 20
	case focus != "" && path.Dir(f.path) == path.Dir(focus):
		score = 1 << 10
	}
	if path.Base(f.path) == "go.mod" {
		score += 8
	}
	lowerPath, lowerText := strings.ToLower(f.path), strings.ToLower(f.text)
	for _, w := range words {
		if strings.Contains(lowerPath, w) {
			score += 16
		}
		score += min(strings.Count(lowerText, w), 8)
	}
	return score
}

// words are the distinct words of a task with at least three letters, in lower case.
func words(task string) []string {
	fields := strings.FieldsFunc(strings.ToLower(task), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	})
	fields = slices.DeleteFunc(fields, func(w string) bool { return len(w) < 3 })
	slices.Sort(fields)
	return slices.Compact(fields)
}
