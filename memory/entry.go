package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Tier is how long an entry is kept.
type Tier string

// The tiers.
const (
	Mid      Tier = "mid"      // until a day after its run has ended
	Episodic Tier = "episodic" // thirty days, and as a synopsis ninety
	Long     Tier = "long"     // for good
)

// Tiers are all of them, from the shortest to the longest.
var Tiers = []Tier{Mid, Episodic, Long}

// Entry is one value under a key. Tier, Agent and Key are its identity: to write it again replaces it.
type Entry struct {
	ID       ID // given by Write
	Tier     Tier
	Agent    string // that keeps it; may be empty
	Key      string
	Value    json.RawMessage // see JSON
	Source   Source
	Tokens   int       // what it costs in a prompt; 0: a quarter of its bytes
	Priority int       // kept for those who rank entries; 0 is usual
	Expires  time.Time // zero: as its tier has it
	Synopsis bool      // the value has been reduced by gc

	Created, Updated time.Time // given by Write
}

// JSON is a text as a value: as it stands if it is JSON already, else as a JSON string.
func JSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // not reached: every string can be marshalled
	}
	return quoted
}

// check refuses what could not be read again.
func (e Entry) check() error {
	switch {
	case !slices.Contains(Tiers, e.Tier):
		return fmt.Errorf("%w: the tier must be one of %q, not %q", ErrInvalid, Tiers, e.Tier)
	case e.Key == "":
		return fmt.Errorf("%w: an entry needs a key", ErrInvalid)
	case !e.Expires.IsZero() && (e.Expires.UTC().Year() < 0 || e.Expires.UTC().Year() > 9999):
		return fmt.Errorf("%w: the year in which %q expires has more than four digits", ErrInvalid, e.Key)
	case !json.Valid(e.Value):
		return fmt.Errorf("%w: the value of %q is not JSON", ErrInvalid, e.Key)
	}
	return e.Source.check()
}

// tokens is what the entry costs in a prompt, about.
func (e Entry) tokens() int {
	if e.Tokens > 0 {
		return e.Tokens
	}
	return (len(e.Value) + 3) / 4
}
