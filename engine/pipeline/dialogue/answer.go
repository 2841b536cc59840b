package dialogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/mode"
	"forge/engine/pipeline/work"
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
	Search  string `json:"search" jsonschema:"lines of the file, exactly as they stand there, and only once"`
	Replace string `json:"replace" jsonschema:"what stands there instead"`
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
		return errNothing
	}
	return nil
}

var errNothing = errors.New(`the answer changes nothing: give "files", "edits" or a "patch"; say in "requests" what you must see first, in "blocked" what is missing; or set "done" if nothing is left to do`)

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
