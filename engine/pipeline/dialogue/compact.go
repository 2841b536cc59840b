package dialogue

import (
	"fmt"
	"strings"

	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/tool"
)

// The limits of earlier turns in later ones: the newest are whole, the others are summaries. Until the limit nothing is compacted,
// so that each turn begins with the bytes of the previous one.
const (
	wholeTurns  = 3
	maxTurnsLog = 48 << 10 // bytes of all turns together
	maxFact     = 500      // bytes kept of one turn
)

// turned is a turn in the log.
type turned struct {
	number int
	from   int    // its first section in the log
	fact   string // its summary
}

// began records the beginning of a turn.
func (w *turns) began() { w.past = append(w.past, turned{number: w.turn, from: len(w.Log)}) }

// happened adds to the summary of the turn.
func (w *turns) happened(format string, args ...any) {
	now := &w.past[len(w.past)-1]
	if now.fact != "" {
		now.fact += "; "
	}
	now.fact += fmt.Sprintf(format, args...)
}

// compact replaces the turns before the newest ones by their summaries. These contain what was done, and not the model's thoughts.
func (w *turns) compact() {
	if len(w.past) <= wholeTurns || logged(w.Log) <= maxTurnsLog {
		return
	}
	old, kept := w.past[:len(w.past)-wholeTurns], w.past[len(w.past)-wholeTurns:]
	cut := kept[0].from
	for _, t := range old {
		w.facts = append(w.facts, fmt.Sprintf("Turn %d: %s", t.number, work.Shorten(t.fact, maxFact)))
	}
	summary := prompt.Section{Kind: prompt.Errors, Name: "Earlier turns", Text: strings.Join(w.facts, "\n"), Data: true}
	w.Log = append([]prompt.Section{summary}, w.Log[cut:]...)
	w.past = kept
	for i := range w.past {
		w.past[i].from -= cut - 1
	}
}

// logged returns the bytes of a log.
func logged(log []prompt.Section) (sum int) {
	for _, s := range log {
		sum += len(s.Text)
	}
	return sum
}

// did describes an action and its result: "read_file a.go → package a", "delete_file b.go (changed)".
func did(a action, said string, changed bool) string {
	t, known := tool.Grants{}.Find(a.Tool)
	switch {
	case !known:
		return a.title() + " (no such tool)"
	case changed:
		return a.title() + " (changed)"
	case t.Mutates():
		return a.title() + " (nothing changed)"
	}
	first, _, _ := strings.Cut(said, "\n")
	return a.title() + " → " + work.Shorten(first, 60)
}
