package match

import (
	"slices"

	"forge/patch"
)

// layouts returns the lines of a hunk without possible layout: blank context lines at its end, code fences around it, and for pairs of
// texts also leading blank lines. Only context, or a removed blank line that the text does not have, is left out.
func layouts(h patch.Hunk) [][]patch.Line {
	bare := withoutFence(h.Lines)
	out := [][]patch.Line{withoutTail(h.Lines), bare, withoutTail(bare)}
	if h.Literal != nil {
		out = append(out, withoutBlankEnds(bare))
	}
	return out
}

func withoutTail(lines []patch.Line) []patch.Line {
	for n := len(lines); n > 0 && lines[n-1].Kind == patch.Context && patch.IsBlank(lines[n-1].Text); n-- {
		lines = lines[:n-1]
	}
	return lines
}

// withoutFence drops context lines that open and close a code fence around all others.
func withoutFence(lines []patch.Line) []patch.Line {
	n := len(lines)
	if n < 3 || lines[0].Kind != patch.Context || lines[n-1].Kind != patch.Context {
		return lines
	}
	if !patch.IsFence(lines[0].Text) || !patch.IsFence(lines[n-1].Text) {
		return lines
	}
	return lines[1 : n-1]
}

// withoutBlankEnds removes the blank old lines before and after all other old lines.
func withoutBlankEnds(lines []patch.Line) []patch.Line {
	lines = slices.Clone(lines)
	isOld := func(l patch.Line) bool { return l.Kind != patch.Add }
	for i := slices.IndexFunc(lines, isOld); i >= 0 && patch.IsBlank(lines[i].Text); i = slices.IndexFunc(lines, isOld) {
		lines = slices.Delete(lines, i, i+1)
	}
	for i := len(lines) - 1; i >= 0; i-- {
		if !isOld(lines[i]) {
			continue
		}
		if !patch.IsBlank(lines[i].Text) {
			break
		}
		lines = slices.Delete(lines, i, i+1)
	}
	return lines
}
