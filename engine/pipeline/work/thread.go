package work

import (
	"slices"
	"strings"
)

// Turn is an earlier turn of the conversation that a request continues.
type Turn struct {
	Asked    string
	Answered string // as a model wrote it, or what a run of the turn led to; may be empty
}

// The limits of the turns that a request carries: of each text in bytes, and of all together.
const (
	maxAsked    = 2 << 10
	maxAnswered = 4 << 10
	maxThread   = 16 << 10
)

// Recent returns the newest turns within the limits, the oldest first, with shortened texts.
func Recent(turns []Turn) []Turn {
	var kept []Turn
	size := 0
	for _, turn := range slices.Backward(turns) {
		turn = Turn{Asked: Shorten(turn.Asked, maxAsked), Answered: Shorten(turn.Answered, maxAnswered)}
		if size += len(turn.Asked) + len(turn.Answered); size > maxThread {
			break
		}
		kept = append(kept, turn)
	}
	slices.Reverse(kept)
	return kept
}

// Thread returns the earlier turns as a text for models.
func (t Task) Thread() string {
	var text strings.Builder
	for _, turn := range t.Earlier {
		text.WriteString("The user: " + strings.TrimSpace(turn.Asked) + "\n")
		if turn.Answered != "" {
			text.WriteString("The answer: " + strings.TrimSpace(turn.Answered) + "\n")
		}
	}
	return text.String()
}

// Asked returns the texts of the user in the thread, for the search of files.
func (t Task) Asked() string {
	var asked []string
	for _, turn := range t.Earlier {
		asked = append(asked, turn.Asked)
	}
	return strings.Join(asked, "\n")
}
