package search

import "strings"

// reasons say of a signal what it has seen.
var reasons = map[string]string{
	"content":  "its text",
	"symbols":  "names it holds",
	"path":     "its path",
	"lines":    "these lines",
	"history":  "old commits like this changed it",
	"recent":   "changed lately",
	"imports":  "linked to an open file by imports",
	"cochange": "changed with an open file",
	"folder":   "beside an open file",
}

// Reason says in words what spoke for a hit, the strongest first: "its text, changed lately". A signal it has no words
// for goes by its name.
func (h Hit) Reason() string {
	var said []string
	for _, s := range h.Signals {
		if s.Value == 0 {
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
