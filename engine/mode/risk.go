package mode

// Risk ranks the possible harm of an action to the user's work or machine.
type Risk int

// The risks. The zero Risk is the lowest: an unknown action must be High.
const (
	Low Risk = iota
	Medium
	High
	Critical
)

// String returns the risk for users.
func (r Risk) String() string {
	switch r {
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	case Critical:
		return "critical"
	}
	return "critical" // an unknown value is the highest
}

// Suggested returns the mode as chosen by a source less trusted than the user: it asks before each tool that the default
// mode would ask about.
func (m Mode) Suggested() Mode {
	usual, _ := Lookup("") // the default exists
	m.MaxAutoRisk = min(m.MaxAutoRisk, usual.MaxAutoRisk)
	return m
}

// Automatic reports whether the mode uses a tool of this risk without asking the user. Critical tools always need consent.
func (m Mode) Automatic(r Risk) bool { return r <= m.MaxAutoRisk && r < Critical }
