package codeintel

import "cmp"

// Terms are the names of the arguments of a rename or a replacement, in messages for the caller: flags on a terminal, for example. The zero value
// is for models and editors, which pass arguments by name.
type Terms struct {
	Path, Line        string
	ScopeFile         string // the argument for the scope RenameAlone
	ScopeAll          string // the argument for the scope RenameAll
	Everywhere, Paths string
	Replace           string // what replaces texts
	Renamed, Replaced string // what begins a heading
}

// Named are the terms with what the zero value means.
func (t Terms) Named() Terms {
	return Terms{
		Path: cmp.Or(t.Path, "path"), Line: cmp.Or(t.Line, "line"), ScopeFile: cmp.Or(t.ScopeFile, `scope "file"`), ScopeAll: cmp.Or(t.ScopeAll, `scope "all"`),
		Everywhere: cmp.Or(t.Everywhere, "everywhere: true"), Paths: cmp.Or(t.Paths, "paths"), Replace: cmp.Or(t.Replace, "replace_all"),
		Renamed: cmp.Or(t.Renamed, "renamed"), Replaced: cmp.Or(t.Replaced, "replaced"),
	}
}
