package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/memory"
	"forge/memory/words"
)

// Extraction chooses the runs of which playbooks are made.
type Extraction struct {
	Since  time.Time // runs that ended since
	Limit  int       // at most so many, the newest; 0 is no limit
	DryRun bool      // store nothing
}

// Extract is a playbook that was made of a run.
type Extract struct {
	Playbook memory.Playbook // without an ID if it was not stored
	State    ExtractState
}

// ExtractState is the result for one extracted playbook.
type ExtractState string

// The states.
const (
	ExtractNew     ExtractState = "new"
	ExtractChanged ExtractState = "changed" // it replaces the one of an earlier run
	ExtractKnown   ExtractState = "known"   // it was extracted before
	ExtractYours   ExtractState = "yours"   // the user has a playbook of this title, which stays
)

// Extract makes playbooks of the runs of a folder whose changes the user accepted and did not undo: what the task was, which files it
// changed, what checked it, what failed on the way and what solved that. It asks no model.
func (h *History) Extract(ctx context.Context, root string, x Extraction) (made []Extract, err error) {
	runs, err := h.Runs(ctx, root)
	if err != nil {
		return nil, err
	}
	checkpoints, err := h.ledger.Checkpoints(ctx, root)
	if err != nil {
		return nil, err
	}
	m, err := h.state.Memory(ctx, root)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{} // of runs with one title, the newest counts
	for _, run := range runs {
		files := InEffect(checkpoints, run.ID)
		if run.State != event.Succeeded || len(files) == 0 || seen[run.Title] {
			continue
		}
		seen[run.Title] = true
		if run.Ended.Before(x.Since) {
			continue
		}
		if x.Limit > 0 && len(made) == x.Limit {
			break
		}
		playbook, err := h.playbookOf(ctx, m, run, files)
		if err != nil {
			return made, err
		}
		extract, err := keepExtract(ctx, m, playbook, x.DryRun)
		if err != nil {
			return made, err
		}
		made = append(made, extract)
	}
	return made, nil
}

// playbookOf makes the playbook of a run.
func (h *History) playbookOf(ctx context.Context, m *memory.Project, run Run, files []string) (p memory.Playbook, err error) {
	events, err := h.Events(ctx, run.ID, 0)
	if err != nil {
		return p, err
	}
	account := account{memory: m, began: map[string]bool{}}
	for _, e := range events {
		if err := account.add(ctx, e.Data); err != nil {
			return p, err
		}
	}
	return memory.Playbook{
		Title: run.Title, Content: account.text(run, files), Tags: words.Tags(run.Title, files...),
		Source: memory.Source{Origin: memory.Gate, Run: run.ID, Event: int64(len(events)), Detail: "extracted from the run"},
	}, nil
}

// account is what a playbook needs of the events of a run.
type account struct {
	memory   *memory.Project
	attempts int
	began    map[string]bool // gates that started
	gates    []string        // that passed in the last attempt
	failed   []string        // failed checks of earlier attempts
	solved   []string        // lessons
	commands []string        // that run tests
}

func (a *account) add(ctx context.Context, d event.Data) error {
	switch d := d.(type) {
	case event.GateStarted:
		a.began[d.Gate] = true
	case event.GateFinished:
		if d.Attempt > a.attempts {
			a.attempts, a.gates = d.Attempt, nil
		}
		// The other reports are of rules of the run itself.
		checks := a.began[d.Report.Gate] && d.Report.Verdict == gate.Pass && d.Report.Executed > 0
		if checks && !slices.Contains(a.gates, d.Report.Gate) {
			a.gates = append(a.gates, d.Report.Gate)
		}
	case event.AttemptJudged:
		for _, id := range d.Failures {
			if check := checkOf(id); !slices.Contains(a.failed, check) {
				a.failed = append(a.failed, check)
			}
		}
	case event.Learned:
		for _, p := range d.Patterns {
			if err := a.learned(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkOf names the gate and the test of a failure: "go test sum.TestAdd".
func checkOf(failure string) string {
	parts := strings.Split(failure, " | ") // see overseer.Failure.ID
	if len(parts) < 4 || parts[2] == "" {
		return parts[0]
	}
	return parts[0] + " " + parts[2]
}

// learned adds a pattern that gates have confirmed.
func (a *account) learned(ctx context.Context, p event.LearnedPattern) error {
	category := memory.Category(p.Category)
	if category == memory.TestCommand && !slices.Contains(a.commands, p.Text) {
		a.commands = append(a.commands, p.Text)
	}
	if p.Successes == 0 || category == memory.TestCommand || category == memory.SuccessPattern {
		return nil
	}
	known, err := a.memory.FindPattern(ctx, category, p.Text)
	if errors.Is(err, memory.ErrNotFound) || err == nil && known.Fix == "" {
		return nil // it was forgotten since
	}
	if line := fmt.Sprintf("- %s. Solved: %s", known.Text, known.Fix); !slices.Contains(a.solved, line) {
		a.solved = append(a.solved, line)
	}
	return err
}

// The limits of a playbook.
const (
	mostFiles  = 20
	mostFailed = 6
)

// text returns the content of the playbook, in Markdown.
func (a *account) text(run Run, files []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This was done on %s, and its change was accepted.\n\n", run.Ended.UTC().Format(time.DateOnly))
	list := func(name string, all []string, most int) {
		if len(all) > 0 {
			shown := strings.Join(all[:min(most, len(all))], ", ")
			if len(all) > most {
				shown += fmt.Sprintf(" and %d more", len(all)-most)
			}
			fmt.Fprintf(&b, "%s: %s\n", name, shown)
		}
	}
	list("Files", files, mostFiles)
	list("Checked by", a.gates, mostFiles)
	list("Tests run with", a.commands, mostFailed)
	if a.attempts > 1 {
		fmt.Fprintf(&b, "Attempts: %d\n", a.attempts)
		list("Failed on the way", a.failed, mostFailed)
	}
	if len(a.solved) > 0 {
		fmt.Fprintf(&b, "\nWhat solved it:\n%s\n", strings.Join(a.solved[:min(mostFailed, len(a.solved))], "\n"))
	}
	return b.String()
}

// keepExtract stores a playbook, unless it is stored already or the user has another one of its title.
func keepExtract(ctx context.Context, m *memory.Project, p memory.Playbook, dryRun bool) (Extract, error) {
	all, err := m.Playbooks(ctx)
	if err != nil {
		return Extract{}, err
	}
	state := ExtractNew
	same := func(o memory.Playbook) bool {
		return strings.EqualFold(strings.TrimSpace(o.Title), strings.TrimSpace(p.Title))
	}
	if at := slices.IndexFunc(all, same); at >= 0 {
		switch known := all[at]; {
		case known.Source.Origin != memory.Gate:
			return Extract{known, ExtractYours}, nil
		case known.Content == p.Content:
			return Extract{known, ExtractKnown}, nil
		}
		state = ExtractChanged
	}
	if dryRun {
		return Extract{p, state}, nil
	}
	kept, err := m.SavePlaybook(ctx, p)
	return Extract{kept, state}, err
}
