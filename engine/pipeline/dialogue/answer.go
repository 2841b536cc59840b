package dialogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/mode"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
	"forge/patch/match"
)

// answer is the answer of the executor's model in any profile: of onceAnswer and turnAnswer.
type answer struct {
	Explanation string        `json:"explanation"`
	Files       []fileEdit    `json:"files,omitempty"`
	Edits       []replacement `json:"edits,omitempty"`
	Patch       string        `json:"patch,omitempty"`
	Actions     []action      `json:"actions,omitempty"`
	Requests    []action      `json:"requests,omitempty"`
	Done        bool          `json:"done,omitempty"`
	Blocked     string        `json:"blocked,omitempty"`
	Concerns    []string      `json:"concerns,omitempty"`
}

type fileEdit struct {
	Path    string `json:"path"`
	Action  string `json:"action" jsonschema:"create, write or delete"`
	Content string `json:"content"`
}

// replacement is an edit that replaces a text.
type replacement struct {
	Path    string `json:"path"`
	Search  string `json:"search" jsonschema:"lines of the file, exactly as they are there, and only once"`
	Replace string `json:"replace" jsonschema:"the lines to put there instead"`
}

// edits reports whether the answer has any.
func (a answer) edits() bool {
	return len(a.Files) > 0 || len(a.Edits) > 0 || strings.TrimSpace(a.Patch) != ""
}

// check finds faults that the schema cannot express. In the profile mode.ToolUse any tool may be an action, otherwise only renames
// and replacements.
func (a answer) check(p mode.Profile) error {
	switch {
	case a.Blocked != "":
		return nil
	case p != mode.ToolUse && a.onlySweeps() != nil:
		return a.onlySweeps()
	case (a.edits() || p != mode.ToolUse && len(a.Actions) > 0) && len(a.Requests) > 0:
		return errors.New(`the answer changes files and has "requests": ask first, and change files once you have seen the answers`)
	case !a.edits() && len(a.Actions) == 0 && len(a.Requests) == 0 && !a.Done:
		return fmt.Errorf(`the answer changes nothing: give "files", "edits" or a "patch"; say in %q what you must see first, in "blocked" what is missing; or set "done" if nothing is left to do`, asksIn(p))
	}
	return nil
}

// asksIn returns the field of an answer in which a model asks to see more.
func asksIn(p mode.Profile) string {
	if p == mode.ToolUse {
		return "actions"
	}
	return "requests"
}

// errNoMore is the error for a model that asks to see more once it has seen everything available.
var errNoMore = errors.New(`no more tools are called: leave "requests" empty, and answer with your edits, or say in "blocked" what is missing`)

// errNoTests is the error for a model that should write tests, and writes none.
var errNoTests = errors.New(`no test was written: write one that fails now, and passes once the change is there; where no test can show it, say why in "blocked", and the user is asked`)

// resolve converts the edits of an answer to texts, or returns what does not fit; it writes nothing. An answer without
// edits is an empty change set. A hunk that is only similar to some text does not fit: match.Locate is for a front with
// the user; here the model is asked again with the error.
func (a answer) resolve(files patch.Files) (patch.ChangeSet, error) {
	var all patch.ChangeSet
	for _, part := range []func(patch.Files) (patch.ChangeSet, error){a.patched, a.replaced, a.whole} {
		changes, err := part(files)
		if err != nil {
			return patch.ChangeSet{}, err
		}
		if all, err = union(all, changes); err != nil {
			return patch.ChangeSet{}, err
		}
	}
	return all, unmarked(all)
}

// patched resolves the patch of an answer.
func (a answer) patched(files patch.Files) (patch.ChangeSet, error) {
	if strings.TrimSpace(a.Patch) == "" {
		return patch.ChangeSet{}, nil
	}
	parsed, _, err := patch.ParseAny(a.Patch)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	changes, err := match.Resolve(parsed, files)
	return changes, misled(a.Patch, err)
}

// replaced resolves the replacements of an answer.
func (a answer) replaced(files patch.Files) (patch.ChangeSet, error) {
	if len(a.Edits) == 0 {
		return patch.ChangeSet{}, nil
	}
	list := make([]patch.Replacement, len(a.Edits))
	searched := ""
	for i, e := range a.Edits {
		list[i] = patch.Replacement(e)
		searched += e.Search + "\n"
	}
	parsed, err := patch.FromReplacements(list)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	changes, err := match.Resolve(parsed, files)
	if err != nil && !errors.Is(err, match.ErrNoChange) {
		err = others(err, list, files)
	}
	return changes, misled(searched, err)
}

// whole resolves the whole files of an answer.
func (a answer) whole(files patch.Files) (patch.ChangeSet, error) {
	if len(a.Files) == 0 {
		return patch.ChangeSet{}, nil
	}
	entries := make([]match.Entry, len(a.Files))
	for i, f := range a.Files {
		if err := work.OneOf("action", f.Action, "create", "write", "delete"); err != nil {
			return patch.ChangeSet{}, fmt.Errorf("%s: %w", f.Path, err)
		}
		entries[i] = match.Entry{Path: f.Path, Action: patch.Action(f.Action), Content: f.Content}
	}
	return match.Whole(entries, files)
}

// replaces reports whether an answer gives a path a whole new text.
func (a answer) replaces(path string) bool {
	return slices.ContainsFunc(a.Files, func(f fileEdit) bool { return f.Path == path })
}

// text returns the answer as the model may have written it.
func (a answer) text() string {
	text, _ := json.Marshal(a) // strings and lists of them
	return string(text)
}

// onlySweeps returns what is wrong with the actions of an answer outside of turns.
func (a answer) onlySweeps() error {
	if i := slices.IndexFunc(a.Actions, func(todo action) bool { return !todo.sweeps() }); i >= 0 {
		return fmt.Errorf(`%q cannot be taken here as one of the "actions", only rename and replace_all can: put what you want to look at into "requests", and what you change into "files", "edits" or "patch"`, a.Actions[i].Tool)
	}
	return nil
}

// wireAnswer is an answer in the form for the model: with the fields that its profile offers.
type wireAnswer interface{ answer() answer }

// onceAnswer is the answer of a model that returns the whole change at once, and may ask to see more first.
type onceAnswer struct {
	Explanation string        `json:"explanation" jsonschema:"two sentences for a reviewer"`
	Files       []fileEdit    `json:"files,omitempty" jsonschema:"whole files"`
	Edits       []replacement `json:"edits,omitempty" jsonschema:"texts to replace in existing files"`
	Patch       string        `json:"patch,omitempty" jsonschema:"a V4A patch, or empty"`
	Actions     []sweep       `json:"actions,omitempty" jsonschema:"renames and replacements, normally empty"`
	Requests    []look        `json:"requests,omitempty" jsonschema:"what has to be looked at first, normally empty"`
	Done        bool          `json:"done,omitempty" jsonschema:"nothing is left to do"`
	Blocked     string        `json:"blocked,omitempty" jsonschema:"what is missing, normally empty"`
	Concerns    []string      `json:"concerns,omitempty" jsonschema:"what a reviewer should look at twice, normally empty"`
}

// look is a call of a read-only tool.
type look struct {
	Tool string        `json:"tool"`
	Args tool.LookArgs `json:"args"`
}

// sweep is a rename or a replacement in the whole folder.
type sweep struct {
	Tool string         `json:"tool"`
	Args tool.SweepArgs `json:"args"`
}

func (a onceAnswer) answer() answer {
	whole := answer{
		Explanation: a.Explanation, Files: a.Files, Edits: a.Edits, Patch: a.Patch, Done: a.Done, Blocked: a.Blocked, Concerns: a.Concerns,
	}
	for _, s := range a.Actions {
		whole.Actions = append(whole.Actions, action{Tool: s.Tool, Args: s.Args.Args()})
	}
	for _, r := range a.Requests {
		whole.Requests = append(whole.Requests, action{Tool: r.Tool, Args: r.Args.Args()})
	}
	return whole
}

// turnAnswer is the answer of a model that works in turns.
type turnAnswer struct {
	Explanation string        `json:"explanation" jsonschema:"two sentences for a reviewer"`
	Files       []fileEdit    `json:"files,omitempty" jsonschema:"whole files"`
	Edits       []replacement `json:"edits,omitempty" jsonschema:"texts to replace in existing files"`
	Patch       string        `json:"patch,omitempty" jsonschema:"a V4A patch, or empty"`
	Actions     []action      `json:"actions,omitempty" jsonschema:"tools to use now"`
	Done        bool          `json:"done,omitempty" jsonschema:"nothing is left to do"`
	Blocked     string        `json:"blocked,omitempty" jsonschema:"what is missing, normally empty"`
	Concerns    []string      `json:"concerns,omitempty" jsonschema:"what a reviewer should look at twice, normally empty"`
}

func (a turnAnswer) answer() answer {
	return answer{
		Explanation: a.Explanation, Files: a.Files, Edits: a.Edits, Patch: a.Patch, Actions: a.Actions, Done: a.Done, Blocked: a.Blocked, Concerns: a.Concerns,
	}
}

// askFor requests an answer in the form of T.
func askFor[T wireAnswer](ctx context.Context, env step.Env, s step.Step[answer]) (answer, step.Outcome) {
	said, o := step.Do(ctx, env, step.Step[T]{
		Place: s.Place, Name: s.Name, Key: s.Key, Document: s.Document, MaxTokens: s.MaxTokens, Sent: s.Sent,
		Check:   func(a T) error { return s.Check(a.answer()) },
		Refused: func(text string, a T) bool { return s.Refused(text, a.answer()) },
	})
	return said.answer(), o
}
