package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// The limits of a plan.
const (
	MaxParts = 60 // a user reads no longer plan, and all parts are named in the prompt of each
	MaxFiles = 12 // of a part
)

// The limits of a part's texts, in bytes: all parts of a plan are shown to the model of each one.
const (
	maxTitle     = 200
	maxObjective = 4000
	maxLine      = 500 // of what is to be shown, and when it is done
	maxVerify    = 12
)

// Limits for warnings: smaller parts are easier to check, and fewer parts easier to join.
const (
	manyParts = 7
	manyFiles = 5
)

var (
	identifier = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$`)
	reserved   = lazyregexp.New(`^(join|partial|delegate|check)-[0-9a-f]+$`) // names of nodes that a run adds by itself
)

// Check finds the faults that a planner must fix itself: incomplete parts, invalid names and paths, and cycles. Its error has a
// line for each fault.
func (p Plan) Check() error {
	var faults []error
	if n := len(p.Parts); n == 0 || n > MaxParts {
		faults = append(faults, fmt.Errorf("%d parts: give between 1 and %d", n, MaxParts))
	}
	for i, part := range p.Parts {
		faults = append(faults, part.check()...)
		if p.index(part.ID) < i {
			faults = append(faults, fmt.Errorf("two parts have the id %s", part.ID))
		}
		for _, sub := range part.SubTasks {
			if name := part.ID + "." + sub.ID; p.index(name) >= 0 {
				faults = append(faults, fmt.Errorf("a part and a sub-task have the id %s", name))
			}
		}
	}
	if circle := p.circle(); circle != nil {
		faults = append(faults, fmt.Errorf("parts wait for each other: %s", strings.Join(circle, " → ")))
	}
	return errors.Join(faults...)
}

func (part Part) check() (faults []error) {
	say := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("part %q: "+format, append([]any{part.ID}, args...)...))
	}
	if !identifier.MatchString(part.ID) {
		say("its id must be letters, digits, dots, dashes and underscores, at most 40")
	}
	if reserved.MatchString(part.ID) {
		say("its id is reserved: choose another one")
	}
	for _, err := range part.checkTexts() {
		say("%w", err)
	}
	if n := len(part.Files); n == 0 || n > MaxFiles {
		say("it names %d files: name between 1 and %d", n, MaxFiles)
	}
	for _, file := range part.Files {
		if err := checkFile(file); err != nil {
			say("%w", err)
		}
	}
	if !slices.Contains([]string{"", "low", "medium", "high"}, part.Risk) {
		say("its risk is %q: want low, medium or high", part.Risk)
	}
	if !slices.Contains([]string{"", "implement", "refactor", "test", "document"}, part.Type) {
		say("its type is %q: want implement, refactor, test or document", part.Type)
	}
	if part.Minutes < 0 {
		say("it cannot take %d minutes", part.Minutes)
	}
	for i, sub := range part.SubTasks {
		faults = append(faults, part.checkSub(i, sub)...)
	}
	return faults
}

// checkTexts finds missing texts, and texts that are too long for the other parts.
func (part Part) checkTexts() (faults []error) {
	faults = append(faults, checkText("title", part.Title, maxTitle), checkText("objective", part.Objective, maxObjective), checkText("doneWhen", part.DoneWhen, maxLine))
	if n := len(part.Verify); n == 0 || n > maxVerify {
		faults = append(faults, fmt.Errorf(`"verify" must say at least one thing that its tests show, and at most %d`, maxVerify))
	}
	for _, v := range part.Verify {
		faults = append(faults, checkText("verify", v, maxLine))
	}
	return slices.DeleteFunc(faults, func(err error) bool { return err == nil })
}

func checkText(field, text string, most int) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%q must not be empty", field)
	case len(text) > most:
		return fmt.Errorf("%q has %d bytes: at most %d are shown to others", field, len(text), most)
	}
	return nil
}

func (part Part) checkSub(i int, sub Sub) (faults []error) {
	name := part.ID + "." + sub.ID
	if !identifier.MatchString(sub.ID) || !identifier.MatchString(name) {
		faults = append(faults, fmt.Errorf("sub-task %q: its id must be letters, digits, dots, dashes and underscores, with that of its part at most 40", name))
	}
	for _, err := range []error{checkText("title", sub.Title, maxTitle), checkText("objective", sub.Objective, maxObjective)} {
		if err != nil {
			faults = append(faults, fmt.Errorf("sub-task %q: %w", name, err))
		}
	}
	if len(sub.Files) == 0 {
		faults = append(faults, fmt.Errorf(`sub-task %q: "files" must not be empty`, name))
	}
	for j, other := range part.SubTasks[:i] {
		if other.ID == sub.ID {
			faults = append(faults, fmt.Errorf("sub-tasks %d and %d of %q have the same id", j+1, i+1, part.ID))
		}
		for _, file := range sub.Files {
			if slices.Contains(other.Files, file) {
				faults = append(faults, fmt.Errorf("sub-tasks %s and %s of %q both change %s: they run in parallel, so give it to one of them", other.ID, sub.ID, part.ID, file))
			}
		}
	}
	for _, file := range sub.Files {
		if !slices.Contains(part.Files, file) {
			faults = append(faults, fmt.Errorf("sub-task %q: %s is not among the files of its part", name, file))
		}
	}
	return faults
}

func checkFile(name string) error {
	if err := patch.CheckPath(name); err != nil {
		return err
	}
	if strings.ContainsAny(name, "*?") {
		return fmt.Errorf("%s is no file: name each file", name)
	}
	return nil
}

// circle returns a cycle of parts, or nil. A part that waits for itself is one.
func (p Plan) circle() []string {
	state := make([]int, len(p.Parts)) // 1: in progress, 2: done
	var way []string
	var walk func(i int) []string
	walk = func(i int) []string {
		way = append(way, p.Parts[i].ID)
		defer func() { way = way[:len(way)-1] }()
		state[i] = 1
		for _, id := range p.Parts[i].DependsOn {
			d := p.index(id)
			switch {
			case d < 0 || state[d] == 2:
			case state[d] == 1:
				return append(slices.Clone(way[slices.Index(way, p.Parts[d].ID):]), p.Parts[d].ID)
			default:
				if found := walk(d); found != nil {
					return found
				}
			}
		}
		state[i] = 2
		return nil
	}
	for i := range p.Parts {
		if state[i] == 0 {
			if found := walk(i); found != nil {
				return found
			}
		}
	}
	return nil
}
