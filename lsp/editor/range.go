package editor

import (
	"go.lsp.dev/protocol"

	"forge/api"
)

// WireRange is a protocol range as commands carry it.
func WireRange(r protocol.Range) *api.Range {
	return &api.Range{
		Start: api.Position{Line: r.Start.Line, Character: r.Start.Character},
		End:   api.Position{Line: r.End.Line, Character: r.End.Character},
	}
}

// LinesOf returns the lines a selection covers, from 1 and inclusive. A selection that ends before
// the first character of a line does not cover that line.
func LinesOf(r *api.Range) (start, end int) {
	if r == nil {
		return 0, 0
	}
	start, end = int(r.Start.Line)+1, int(r.End.Line)+1
	if r.End.Character == 0 && end > start {
		end--
	}
	return start, end
}
