package work

import (
	"cmp"
	"strings"
)

// tooLarge begins the "blocked" of a model if its part should be cut into pieces.
const tooLarge = "too large:"

// MayCut reports whether the part may be cut into pieces, which are worked on side by side: not below the last level, not without files to
// divide, and not without a share of the exchanges for each piece.
func (u *Module) MayCut() bool {
	if u.Job.Part == nil || u.Job.Joins || u.Run.Task.Plan.Inline {
		return false
	}
	affordable := u.Run.Steps <= 0 || u.Budget.Left() >= 3*LeastShare // of two pieces and their join
	return affordable && len(u.Job.Part.Files) > 1 && u.Job.Part.Level() < cmp.Or(u.Run.FanOut, DefaultFanout)
}

// AsksToCut reports whether a model that cannot do its part finds it too large, and why.
func (u *Module) AsksToCut(blocked string) (why string, asks bool) {
	blocked = strings.TrimSpace(blocked)
	if u.Job.Part == nil || len(blocked) < len(tooLarge) || !strings.EqualFold(blocked[:len(tooLarge)], tooLarge) {
		return "", false
	}
	return cmp.Or(strings.TrimSpace(blocked[len(tooLarge):]), "it is too large for one change"), true
}
