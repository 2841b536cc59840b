package search

import "strings"

// reasons say of a signal what it has seen.
var reasons = map[string]string{
	"content":  "its text",
	"lines":    "these lines",
	"symbols":  "names it defines",
	"path":     "its path",
	"defined":  "it defines a name of the request",
	"named":    "the request names it",
	"scope":    "it is the request's scope",
	"similar":  "old commits like this changed it",
	"said":     "what its commits say",
	"scoped":   "commits of this scope changed it",
	"frequent": "changed often of late",
	"cochange": "changed with an open file",
	"imports":  "linked to an open file by imports",
	"folder":   "near an open file",
	"linked":   "shares names with an open file that one of them defines",
	"rare":     "has rare names of an open file",
	"topic":    "its commits speak like those of an open file",
}

// maxReasons is how many reasons are shown: those behind them hardly count.
const maxReasons = 4

// Reason says in words what spoke for a hit, the strongest first: "its text, changed often of late". A signal it has no
// words for goes by its name.
func (h Hit) Reason() string {
	var said []string
	for _, s := range h.Signals {
		if s.Value <= 0 || len(said) == maxReasons {
			continue
		}
		words, known := reasons[s.Name]
		if !known {
			words = s.Name
		}
		said = append(said, words)
	}
	return strings.Join(said, ", ")
}
