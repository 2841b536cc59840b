package history

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// withModes adds the permissions of files to a change of a proposal: of those that it deletes, as they are on disk now, so that an undo
// restores them; of those that it creates, as the proposal has them, or as the file has them that they have come from. The error is about
// permissions that cannot be read: without them, an undo would bring a private file back readable by others.
func withModes(root string, p *proposal.Proposal, planned patch.ChangeSet) (_ patch.ChangeSet, err error) {
	var whole patch.ChangeSet
	given := map[string]fs.FileMode{}
	for _, f := range p.Files {
		whole.Files = append(whole.Files, f.Change)
		given[f.Change.Path] = f.Change.Mode
	}
	from := whole.Origins()
	planned.Files = slices.Clone(planned.Files)
	for i := range planned.Files {
		switch c := &planned.Files[i]; c.Kind {
		case patch.Delete:
			c.Mode, err = workspace.ModeOf(root, c.Path)
		case patch.Create:
			if c.Mode = given[c.Path]; c.Mode == 0 {
				c.Mode, err = workspace.ModeOf(root, from[c.Path])
			}
		case patch.Update, patch.Move:
		}
		if err != nil {
			return patch.ChangeSet{}, err
		}
	}
	return planned, nil
}

// sameModes gives a change the permissions that another one has for the same files.
func sameModes(of, to patch.ChangeSet) patch.ChangeSet {
	to.Files = slices.Clone(to.Files)
	for i, c := range to.Files {
		at := slices.IndexFunc(of.Files, func(f patch.FileChange) bool { return f.Path == c.Path && f.Kind == c.Kind })
		if at >= 0 {
			to.Files[i].Mode = of.Files[at].Mode
		}
	}
	return to
}

// restoreModes gives the files that a change has created their permissions: an editor creates each like any new file. A file that the
// editor has not saved yet keeps the permissions that the editor sets.
func (l *Ledger) restoreModes(root string, made patch.ChangeSet) {
	for _, c := range made.Files {
		if c.Kind != patch.Create || c.Mode == 0 {
			continue
		}
		if err := workspace.SetMode(root, c.Path, c.Mode); err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.state.Notify(fmt.Sprintf("%s has the permissions of a new file, since those that it had (%04o) cannot be set: %v", c.Path, c.Mode.Perm(), err))
		}
	}
}
