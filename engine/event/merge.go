package event

import (
	"fmt"
	"strings"

	"forge/internal/inert"
)

// FilesMerged reports the files that several parts of a plan changed, when their results are joined.
type FilesMerged struct {
	Node  string       `wire:"node"`
	Files []MergedFile `wire:"files"`
}

// Type returns the name of the event.
func (FilesMerged) Type() string { return "merged" }

// MergedFile is a file that several parts changed.
type MergedFile struct {
	Path  string   `wire:"path"`
	Parts []string `wire:"parts" doc:"in the order of the plan"`
	How   MergeHow `wire:"how" enum:"same,text,model" doc:"same: the parts made the same change; text: their lines were merged; model: the changes exclude each other, and a model merges them"`
}

// MergeHow is how the changes of several parts became one.
type MergeHow string

// The ways, from the simplest.
const (
	MergedSame  MergeHow = "same"
	MergedText  MergeHow = "text"
	MergedModel MergeHow = "model"
)

// String describes the merge, for users.
func (f MergedFile) String() string {
	parts := strings.Join(f.Parts[:len(f.Parts)-1], ", ") + " and " + f.Parts[len(f.Parts)-1]
	switch f.How {
	case MergedSame:
		return fmt.Sprintf("parts %s made the same change", parts)
	case MergedText:
		return fmt.Sprintf("merged from parts %s, line by line", parts)
	case MergedModel:
	}
	return fmt.Sprintf("parts %s changed it in ways that exclude each other: merged by a model", parts)
}

func (d FilesMerged) format(out *Formatter) {
	for _, f := range d.Files {
		severity := Info
		if f.How == MergedModel {
			severity = Warning
		}
		out.say(PhaseNode, d.Node, severity, "    %s: %s", inert.Text(f.Path), inert.Text(f.String()))
	}
}
