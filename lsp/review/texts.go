package review

import (
	"errors"

	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/patch"
)

// texts are the files a proposal touches, by path, as they are now.
type texts map[string]editor.Current

// textsOf reads every file the proposal touches, before any lock is taken.
func textsOf(f *editor.Folders, folder editor.Folder, p *proposal.Proposal) (texts, error) {
	base := map[string]string{}
	for _, file := range p.Files {
		base[file.Change.Path] = file.Change.Before
		if file.Change.From != "" {
			base[file.Change.From] = file.Change.Before
		}
	}
	all := texts{}
	for _, path := range paths(p) {
		now, err := f.Read(folder, path)
		switch {
		case errors.As(err, new(*patch.PathError)):
			continue // as a file that is not there; refused says why nothing is sent for it
		case err != nil:
			return nil, err
		}
		all[path] = now.WithMark(base[path])
	}
	return all, nil
}

// paths returns the paths the proposal touches, former ones of moved files included.
func paths(p *proposal.Proposal) []string {
	var all []string
	for _, file := range p.Files {
		all = append(all, file.Change.Path)
		if file.Change.From != "" {
			all = append(all, file.Change.From)
		}
	}
	return all
}

// plain is what a proposal sees of a file.
func plain(c editor.Current) proposal.Current {
	return proposal.Current{Text: c.Text, Exists: c.Exists}
}

// lookup is the form in which proposal.Plan reads texts.
func (t texts) lookup(path string) (proposal.Current, error) { return plain(t[path]), nil }

// same reports whether the named files have the same text in both.
func (t texts) same(other texts, names []string) bool {
	for _, name := range names {
		if plain(t[name]) != plain(other[name]) {
			return false
		}
	}
	return true
}
