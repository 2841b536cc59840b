package tool

import "forge/engine/gate"

// Place is a line of a tree.
type Place struct {
	Path string // relative to the tree's root, slash-separated
	Line int    // from 1
}

// Locate gives a place to each finding that has none: the one that look finds, otherwise the first line of the file that the tool
// named, otherwise the first line of about, the file that describes the subject of the tool. After it every finding has a file and
// a line. look may be nil.
func Locate(findings []gate.Finding, about string, look func(gate.Finding) (Place, bool)) {
	for i := range findings {
		f := &findings[i]
		if f.Path != "" && f.Line > 0 {
			continue
		}
		at, found := Place{}, false
		if look != nil {
			at, found = look(*f)
		}
		switch {
		case f.Path != "" && (!found || at.Path != f.Path):
			at = Place{Path: f.Path}
		case !found:
			at = Place{Path: about}
		}
		f.Inferred = f.Inferred || f.Path == ""
		f.Path, f.Line, f.Column = at.Path, max(1, at.Line), 0
	}
}
