package activity

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/engine/agent"
	"forge/engine/prompt"
	"forge/engine/state"
	"forge/engine/step"
	"forge/memory"
	"forge/memory/words"
)

// Briefing creates the brief of a run: what its folder, its user and earlier runs add to every prompt.
type Briefing struct {
	State  *state.State
	Trees  *Trees
	Root   string
	Run    string
	Skills []prompt.SkillRoot // of the user
	Agents []agent.Root       // of the user
	Guides []string           // names of a project's instruction files; none means the usual ones
}

// Brief performs step.ActivityBrief. It omits unreadable parts and notifies the user: no run fails for them.
func (b Briefing) Brief(ctx context.Context, c step.BriefCall) (told step.Brief, err error) {
	level, err := b.State.TrustLevel(b.Root)
	if err != nil {
		return told, err
	}
	var own folderBrief
	if level == state.Execute {
		if own, err = b.ofFolder(ctx, c); err != nil {
			return told, err
		}
	}
	persons, problems := prompt.FindSkills(b.Skills...)
	b.report(problems)
	told.Guides, told.Skills = own.guides, prompt.FirstSkills(own.skills, persons)
	for i := range told.Skills {
		told.Skills[i].Body = beginning(told.Skills[i].Body, maxGuide)
	}
	var wrong []agent.Problem
	told.Agents, wrong = agent.Read(append(own.agents, agent.Files(b.Agents...)...))
	for _, p := range wrong {
		b.State.Notify(fmt.Sprintf("the agent is left out: %s", p))
	}
	if err := b.remember(ctx, c, &told); err != nil {
		b.State.Notify(fmt.Sprintf("lessons of earlier runs are left out: %v", err))
	}
	return told, nil
}

// folderBrief is what a trusted folder adds to a brief.
type folderBrief struct {
	guides []step.Guide
	skills []prompt.Skill
	agents []agent.File
}

// ofFolder reads the guides, skills and agents in the snapshot of a trusted folder.
func (b Briefing) ofFolder(ctx context.Context, c step.BriefCall) (own folderBrief, err error) {
	err = b.Trees.In(ctx, c.State, func(t Tree) error {
		paths, err := t.List(ctx)
		if err != nil {
			return err
		}
		own.guides = guidesIn(paths, b.Guides, c.Focus, t.ReadFile)
		var problems []prompt.SkillProblem
		own.skills, problems = skillsIn(paths, t.ReadFile)
		b.report(problems)
		for _, file := range paths {
			if path.Dir(file) == agent.Folder && path.Ext(file) == ".md" {
				content, err := t.ReadFile(file)
				own.agents = append(own.agents, agent.File{Source: file, Content: content, Err: err})
			}
		}
		return nil
	})
	return own, err
}

// report notifies the user of files that are not valid skills.
func (b Briefing) report(problems []prompt.SkillProblem) {
	for _, p := range problems {
		b.State.Notify(fmt.Sprintf("%s is not a valid skill: %s", p.Source, p.Reason))
	}
}

// A project's files for its contributors, in the order in which they are shown, unless the user names others.
var guideFiles = []string{"AGENTS.md", "CLAUDE.md", ".forge/instructions.md"}

// Limits of the texts that a model sees, in bytes.
const (
	maxGuide  = 16 << 10
	maxGuides = 32 << 10
)

const guideCut = "\n[… the rest is left out]"

// guidesIn returns the project's instructions in a tree: those at its root, and those in the nearest folder above focus
// that has some.
func guidesIn(paths, names []string, focus string, read func(path string) ([]byte, error)) (guides []step.Guide) {
	room := maxGuides
	for _, file := range guidePaths(paths, names, focus) {
		content, err := read(file)
		if err != nil || !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0 || len(bytes.TrimSpace(content)) == 0 {
			continue // deleted since, or not readable for a model
		}
		text := beginning(string(content), min(maxGuide, room))
		same := slices.ContainsFunc(guides, func(g step.Guide) bool { return g.Text == text }) // CLAUDE.md is often AGENTS.md
		if text == "" || same {
			continue
		}
		room -= len(text)
		guides = append(guides, step.Guide{Name: file, Source: file, Text: text})
	}
	return guides
}

// guidePaths returns the paths of instruction files, the root's first.
func guidePaths(paths, names []string, focus string) (found []string) {
	has := func(file string) bool {
		_, is := slices.BinarySearch(paths, file)
		return is
	}
	if len(names) == 0 {
		names = guideFiles
	}
	in := func(dir string) (here []string) {
		for _, name := range names {
			if file := path.Join(dir, name); has(file) {
				here = append(here, file)
			}
		}
		return here
	}
	found = in("")
	for dir := path.Dir(path.Join("/", focus)); focus != "" && dir != "/"; dir = path.Dir(dir) {
		if near := in(dir[1:]); len(near) > 0 {
			return append(found, near...)
		}
	}
	return found
}

// beginning returns the first lines of a text that fit, and a mark if lines are missing.
func beginning(text string, room int) string {
	if len(text) <= room {
		return text
	}
	if room -= len(guideCut); room <= 0 {
		return ""
	}
	end := bytes.LastIndexByte([]byte(text[:room]), '\n')
	if end < 0 {
		return ""
	}
	return text[:end] + guideCut
}

// Limits of the memory that a model sees, in bytes per row. memory.View limits the number of rows.
const (
	maxLesson   = 600
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
		Run: b.Run, Text: strings.Join([]string{c.Task, c.Intent, c.Focus}, " "), Tags: words.Tags(c.Task, c.Focus),
	})
	if err != nil {
		return err
	}
	told.Lessons = lessonsOf(view.Patterns)
	if told.Risks, err = risksIn(ctx, m, strings.Join([]string{c.Task, c.Intent, c.Focus}, " ")); err != nil {
		return err
	}
	told.Notes = notesOf(slices.Concat(view.Own, view.Warm, view.Cold))
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
		lessons = append(lessons, step.Guide{Name: h.Pattern.Text, Source: sourceOf(h), Text: clipped(lessonText(*h.Pattern), maxLesson)})
	}
	return lessons
}

// lessonText describes a pattern: its category and confidence, its text, the fix, and where it applies.
func lessonText(p memory.Pattern) string {
	certain := fmt.Sprintf("%.2f", p.Confidence)
	if p.Confidence >= strong {
		certain = "strong, " + certain
	}
	said := p.Text
	if p.Category == memory.SuccessPattern {
		said = fmt.Sprintf("%s: gates accepted %d of %d attempts", memory.WorkOf(p.Text), p.Successes, p.Successes+p.Failures)
	}
	text := fmt.Sprintf("%s (%s): %s", strings.ReplaceAll(string(p.Category), "_", " "), certain, said)
	for _, more := range []string{p.Fix, p.Context} {
		if more != "" {
			text += "; " + more
		}
	}
	return text
}

// sourceOf returns the id of a row, which is unique within its scope: that of the folder has no prefix.
func sourceOf(h memory.Hit) string {
	if h.Scope == memory.ScopeGlobal {
		return "global " + string(h.ID)
	}
	return string(h.ID)
}

// notesOf describes entries in words, each once, best first, within the budget.
func notesOf(hits []memory.Hit) (notes []step.Guide) {
	room := maxNotes
	for _, h := range hits {
		text := clipped(h.Entry.Key+": "+Wording(h.Entry.Value), maxNote)
		if slices.ContainsFunc(notes, func(n step.Guide) bool { return n.Source == sourceOf(h) }) {
			continue
		}
		if room -= len(text); room < 0 {
			return notes
		}
		notes = append(notes, step.Guide{Name: h.Entry.Key, Source: sourceOf(h), Text: text})
	}
	return notes
}

// Wording converts a value to text: a string without its quotes.
func Wording(value json.RawMessage) string {
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

// OwnSkills is the directory of a folder's own skills.
const OwnSkills = ".forge/skills"

// skillsIn returns the skills in a tree.
func skillsIn(paths []string, read func(path string) ([]byte, error)) (skills []prompt.Skill, problems []prompt.SkillProblem) {
	for _, file := range paths {
		below, is := strings.CutPrefix(file, OwnSkills+"/")
		if !is || !prompt.IsSkill(file) {
			continue
		}
		content, err := read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var s prompt.Skill
		if err == nil {
			s, err = prompt.ParseSkill(below, file, content)
		}
		if err != nil {
			problems = append(problems, prompt.SkillProblem{Source: file, Reason: err.Error()})
			continue
		}
		skills = append(skills, s)
	}
	return skills, problems
}
