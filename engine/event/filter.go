package event

import "slices"

// Filter chooses lines. The zero value chooses all.
type Filter struct {
	Node     string
	Phase    Phase
	Severity Severity // this one and higher ones
}

// Has reports whether the filter chooses a line.
func (f Filter) Has(l Line) bool {
	return (f.Node == "" || f.Node == l.Node) && (f.Phase == "" || f.Phase == l.Phase) &&
		slices.Index(Severities, l.Severity) >= slices.Index(Severities, f.Severity)
}

// Of returns the lines that the filter chooses.
func (f Filter) Of(lines []Line) []Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return !f.Has(l) })
}
