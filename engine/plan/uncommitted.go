package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Uncommitted returns a note for users if a plan changes files that they have not committed; dirty are all of those.
func (p Plan) Uncommitted(dirty []string) []string {
	var both []string
	for _, part := range p.Parts {
		for _, path := range part.Files {
			if slices.Contains(dirty, path) && !slices.Contains(both, path) {
				both = append(both, path)
			}
		}
	}
	if both == nil {
		return nil
	}
	slices.Sort(both)
	return []string{fmt.Sprintf("The plan changes files with your uncommitted work, and keeps it: %s. To work from the last commit instead, cancel and start with --base head.", strings.Join(both, ", "))}
}
