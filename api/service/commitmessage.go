package service

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/proposal"
)

// The customary widths of commit messages, in characters.
const (
	subjectWidth = 72
	bodyWidth    = 72
)

// commitMessage proposes a commit message for the change of a run: the task in a line, the whole task if it is longer, the applied files,
// or all if none is applied, and what has checked them. It is empty for a run without a change. Forge commits nothing.
func (s story) commitMessage() string {
	if s.offered == nil {
		return ""
	}
	task := s.task()
	subject, rest := subjectOf(task)
	paragraphs := []string{subject}
	if rest != "" {
		paragraphs = append(paragraphs, wrapped(rest, bodyWidth))
	}
	var files []string
	taken, of, checked := s.taken()
	for _, f := range taken {
		files = append(files, "- "+changeLine(f.Change))
	}
	paragraphs = append(paragraphs, strings.Join(files, "\n"), wrapped(s.checkedBy(of, checked), bodyWidth), "Forge-Run: "+s.run.ID)
	return strings.Join(paragraphs, "\n\n") + "\n"
}

// task returns the whole task of the run, in the user's words.
func (s story) task() string {
	for _, e := range s.events {
		if begun, is := e.Data.(event.RunStarted); is {
			return strings.TrimSpace(begun.Task)
		}
	}
	return s.run.Title
}

// The names of reports that are no tools.
const (
	reviewer  = "review"
	heldTests = "held" // which tests were among those that the tools ran
)

// checkedBy returns the checks that the change has passed, as a sentence. of is how much of it the user has applied, and reports are those
// on exactly that.
func (s story) checkedBy(of proposal.Extent, reports []gate.Report) string {
	if s.offered.Unverified != "" {
		return "Not verified: " + strings.ReplaceAll(s.offered.Unverified, "\n", "; ") + "."
	}
	var names []string
	exact := len(reports) > 0
	if !exact {
		reports = s.offered.Gates
	}
	for _, r := range reports {
		switch {
		case r.Verdict != gate.Pass:
		case r.Gate == reviewer:
			names = append(names, "a model's review")
		case r.Executed > 0 && r.Gate != heldTests:
			names = append(names, r.Gate)
		}
	}
	if len(names) == 0 {
		return "No check has run on it."
	}
	by := strings.Join(names, ", ") + "."
	switch {
	case !exact && of == proposal.Part:
		return "Part of a change that was checked as a whole by " + by
	case !exact && of == proposal.Amended:
		return "Edited after it was checked by " + by
	}
	return "Checked by " + by
}

// subjectOf returns the first sentence of a task as the subject of a commit: one line, a capital first, no period last. rest is what the
// subject does not say: the other sentences, or the whole task if its first sentence is too long.
func subjectOf(task string) (subject, rest string) {
	task = strings.TrimSpace(task)
	line, rest, _ := strings.Cut(task, "\n")
	line, more := firstSentence(line)
	if more != "" {
		rest = more + "\n" + rest
	}
	line = capital(strings.TrimRight(strings.Join(strings.Fields(line), " "), "."))
	if utf8.RuneCountInString(line) <= subjectWidth {
		return line, strings.TrimSpace(rest)
	}
	subject, _, _ = strings.Cut(wrapped(line, subjectWidth-1), "\n")
	return string([]rune(subject)[:min(utf8.RuneCountInString(subject), subjectWidth-1)]) + "…", task
}

// firstSentence splits a line behind its first sentence. The next one does not begin with a small letter: "e.g. this" is one sentence.
func firstSentence(line string) (first, rest string) {
	for end := 0; end < len(line); end++ {
		if !strings.HasPrefix(line[end:], ". ") {
			continue
		}
		rest = strings.TrimSpace(line[end+1:])
		if next, _ := utf8.DecodeRuneInString(rest); !unicode.IsLower(next) {
			return line[:end], rest
		}
	}
	return line, ""
}

// capital makes the first letter a capital, unless the first word is recognisably a name of code, such as isEmpty, sum_all or api.Sum.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	word, _, _ := strings.Cut(text, " ")
	if strings.ContainsAny(strings.TrimRight(word, ".,:;"), "_./()0123456789") || strings.IndexFunc(word[size:], unicode.IsUpper) >= 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// wrapped breaks lines at words, so that they have at most so many characters where words allow it. Line breaks stay.
func wrapped(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		now := ""
		for word := range strings.FieldsSeq(line) {
			if now != "" && utf8.RuneCountInString(now)+1+utf8.RuneCountInString(word) > width {
				lines, now = append(lines, now), ""
			}
			now = strings.TrimPrefix(now+" "+word, " ")
		}
		lines = append(lines, now)
	}
	return strings.Join(lines, "\n")
}

// changedLines formats numbers of lines: "+3 −1".
func changedLines(added, removed int) string { return fmt.Sprintf("+%d −%d", added, removed) }
