package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"forge/engine/execution"
	"forge/engine/proposal"
	"forge/engine/state"
	"forge/engine/tool"
	"forge/engine/workspace"
	"forge/patch"
)

// Swept is the result of a rename or a replacement in a folder. Nothing is written.
type Swept struct {
	Text    string // the changes, file by file, or why there are none
	Refused bool   // there are no changes
	Change  patch.ChangeSet
}

// Sweeps returns the names of the tools that change many files in one way, without a model.
func Sweeps() (names []string) {
	for _, t := range tool.Tools() {
		if t.Sweeps {
			names = append(names, t.Name)
		}
	}
	return names
}

// Sweep computes a rename or a replacement in the folder as the user has it, unsaved buffers included, and writes nothing. It uses
// language servers in a trusted folder, and parsers in another one. The error means that the folder cannot be read, or that the
// tool is unknown.
func (e *Engine) Sweep(ctx context.Context, s workspace.Snapshot, name string, args json.RawMessage) (Swept, error) {
	t, known := tool.Tools().Named(name)
	if !known || !t.Sweeps {
		return Swept{}, fmt.Errorf("unknown tool %q: choose one of %s", name, strings.Join(Sweeps(), ", "))
	}
	if err := t.Check(args); err != nil {
		return Swept{Text: err.Error(), Refused: true}, nil //nolint:nilerr // it is the answer
	}
	if err := workspace.CheckRoot(s.Root); err != nil {
		return Swept{}, err
	}
	trusted, err := e.Trusted(s.Root)
	if err != nil {
		return Swept{}, err
	}
	repo, err := e.Repo(ctx, s.Root)
	if err != nil && !execution.WithoutGit(err) {
		return Swept{}, e.state.Explain(err)
	}
	do := e.look
	if trusted && repo != nil && t.Litters {
		do = e.try
	}
	r, err := do(ctx, s, repo, t, args)
	if err != nil {
		return Swept{}, fmt.Errorf("%s in %s: %w", name, s.Root, err)
	}
	return Swept{Text: e.Redact(r.Text), Refused: r.Failed, Change: r.Change}, nil
}

// Propose creates a proposal for a change that no run has made. Once it is applied, it can be undone by its run id.
func Propose(title string, change patch.ChangeSet) *proposal.Proposal {
	id := state.NewID()
	return proposal.New("p-"+id, "a-"+id, title, change, nil, nil)
}

// sweepsOnly reports whether all actions are renames and replacements. Then the user has specified the whole change, and no
// reviewer is asked. Gates check the result all the same.
func sweepsOnly(actions []Action) bool {
	return len(actions) > 0 && !slices.ContainsFunc(actions, func(a Action) bool { return !slices.Contains(Sweeps(), a.Tool) })
}
