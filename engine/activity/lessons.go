package activity

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"forge/engine/step"
	"forge/memory"
)

// Limits of the memory that a model sees, in bytes per row. memory.View limits the number of rows.
const (
	maxLesson   = 400
	maxNote     = 500
	maxPlaybook = 4 << 10
	maxNotes    = 24_000 // all notes together: 6,000 tokens of four bytes
)

// strong is the confidence from which a lesson is called strong.
const strong = 0.8

// remember adds what memory has about the task.
func (b Briefing) remember(ctx context.Context, c step.BriefCall, told *step.Brief) error {
	m, err := b.State.Memory(ctx, b.Root)
	if err != nil {
		return err
	}
	view, err := m.View(ctx, memory.ViewQuery{
		Run: b.Run, Text: strings.Join([]string{c.Task, c.Intent, c.Focus}, " "), Tags: tags(c.Task, c.Focus),
	})
	if err != nil {
		return err
	}
	told.Lessons = lessonsOf(view.Patterns)
	told.Notes = notesOf(slices.Concat(view.Warm, view.Cold))
	for _, p := range view.Playbooks {
		told.Playbooks = append(told.Playbooks, step.Guide{
			Name: "Playbook: " + clipped(p.Title, maxLesson), Source: string(p.ID), Text: beginning(p.Content, maxPlaybook),
		})
	}
	return nil
}

// lessonsOf describes patterns in words, most certain first.
func lessonsOf(hits []memory.Hit) (lessons []step.Guide) {
	hits = slices.Clone(hits)
	slices.SortStableFunc(hits, func(a, b memory.Hit) int { return cmp.Compare(b.Pattern.Confidence, a.Pattern.Confidence) })
	for _, h := range hits {
		p := h.Pattern
		certain := fmt.Sprintf("%.2f", p.Confidence)
		if p.Confidence >= strong {
			certain = "strong, " + certain
		}
		text := fmt.Sprintf("%s (%s): %s", strings.ReplaceAll(string(p.Category), "_", " "), certain, p.Text)
		for _, more := range []string{p.Fix, p.Context} {
			if more != "" {
				text += "; " + more
			}
		}
		lessons = append(lessons, step.Guide{Name: p.Text, Source: string(h.ID), Text: clipped(text, maxLesson)})
	}
	return lessons
}

// notesOf describes entries in words, best first, within the budget.
func notesOf(hits []memory.Hit) (notes []step.Guide) {
	room := maxNotes
	for _, h := range hits {
		text := clipped(h.Entry.Key+": "+wording(h.Entry.Value), maxNote)
		if room -= len(text); room < 0 {
			return notes
		}
		notes = append(notes, step.Guide{Name: h.Entry.Key, Source: string(h.ID), Text: text})
	}
	return notes
}

// wording converts a value to text: a string without its quotes.
func wording(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// clipped returns a text on one line, within so many bytes.
func clipped(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// topics are the words of a task that select playbooks, and the playbooks' tags.
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

// languageTags are the tags of files, by their extension.
var languageTags = map[string]string{
	".go": "go", ".py": "python", ".js": "javascript", ".jsx": "javascript", ".ts": "typescript", ".tsx": "typescript", ".rs": "rust",
	".sh": "shell", ".java": "java", ".c": "c", ".cc": "cpp", ".cpp": "cpp", ".rb": "ruby", ".md": "markdown",
}

// tags returns the tags that select playbooks: from the language of focus and the topics of the task.
func tags(task, focus string) (all []string) {
	if tag := languageTags[strings.ToLower(path.Ext(focus))]; tag != "" {
		all = append(all, tag)
	}
	task = strings.ToLower(task)
	for _, t := range topics {
		if slices.ContainsFunc(t.words, func(w string) bool { return strings.Contains(task, w) }) {
			all = append(all, t.tag)
		}
	}
	return all
}
