package review

import (
	"context"
	"errors"
	"slices"

	"forge/engine/history"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/lsp/editor"
	"forge/patch"
)

// texts are the files a proposal touches, by path, as they are now.
type texts map[string]editor.Current

// textsOf reads every file the proposal touches, before any lock is taken.
func textsOf(f *editor.Folders, folder editor.Folder, p *proposal.Proposal) (texts, error) {
	changes := map[string]patch.FileChange{}
	for _, file := range p.Files {
		changes[file.Change.Path] = file.Change
		if file.Change.From != "" {
			changes[file.Change.From] = file.Change
		}
	}
	all := texts{}
	for _, path := range p.Paths() {
		now, err := f.Read(folder, path)
		switch {
		case errors.As(err, new(*patch.PathError)):
			continue // as a file that is not there; refused says why nothing is sent for it
		case err != nil:
			return nil, err
		}
		all[path] = now.Like(changes[path].Before, changes[path].After)
	}
	return all, nil
}

// plain is what a proposal sees of a file.
func plain(c editor.Current) proposal.Current {
	return proposal.Current{Text: c.Text, Exists: c.Exists}
}

// lookup is the form in which proposal.Plan reads texts.
func (t texts) lookup(path string) (proposal.Current, error) { return plain(t[path]), nil }

// same reports whether the named files have the same text in both.
func (t texts) same(other texts, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return plain(t[name]) != plain(other[name]) })
}

// Edits records what a client is asked to change, and computes how to undo it.
type Edits interface {
	// Prepare records what the client is about to be asked to change. The function that it returns writes into the ledger what the
	// client has really changed, and returns the checkpoint.
	Prepare(ctx context.Context, root string, p *proposal.Proposal, planned patch.ChangeSet) (history.Recording, error)
	// Admits returns why no change may be recorded in a folder: the user has not trusted it. Trust records that they do.
	Admits(root string) error
	Trust(root string) error
	// RecoverSeen settles what an earlier server had asked a client to change, and did not see the end of.
	RecoverSeen(ctx context.Context, s workspace.Snapshot) error
	// Tidy finishes or reverts the changes that killed processes left incomplete in a folder.
	Tidy(ctx context.Context, root string) error
	// Undo returns a proposal that reverts a run or checkpoint, and Redo one that reverts an undo; an empty id is the last.
	Undo(ctx context.Context, root, id string) (*proposal.Proposal, error)
	Redo(ctx context.Context, root, id string) (*proposal.Proposal, error)
}
