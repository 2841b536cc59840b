package integrity

import (
	"strings"

	"forge/engine/gate"
	"forge/patch"
)

// Loses reports whether a change removes something from an existing file: the file, its place, or a line that is not
// blank. Indentation does not count.
func Loses(f patch.FileChange) bool {
	switch f.Kind {
	case patch.Create:
		return false
	case patch.Delete, patch.Move:
		return true
	}
	after := strings.Split(f.After, "\n")
	for line := range strings.Lines(f.Before) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		for len(after) > 0 && strings.TrimSpace(after[0]) != line {
			after = after[1:]
		}
		if len(after) == 0 {
			return true
		}
		after = after[1:]
	}
	return false
}

// loosens reports whether a change affects the parts of a file that control how code is checked.
func loosens(f patch.FileChange) bool {
	if f.Kind == patch.Create {
		return gate.Overrides(f.Path, f.After) != ""
	}
	before := gate.Settings(Origin(f), f.Before)
	return before != gate.Settings(f.Path, f.After) || before != "" && Origin(f) != f.Path
}
