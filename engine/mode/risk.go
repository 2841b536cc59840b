package mode

// Risk ranks what an action may do to the user's work or machine.
type Risk int

// The risks. The zero Risk is the lowest: who knows nothing of an action must say High.
const (
	Low Risk = iota
	Medium
	High
	Critical
)

// String gives the risk as people know it.
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
	return "critical" // whatever cannot be told is the gravest
}

// Suggested is the mode where somebody less trusted than the user has chosen it: it uses no tool without asking that the
// default mode would ask about.
func (m Mode) Suggested() Mode {
	usual, _ := Lookup("") // the default is in the table
	m.MaxAutoRisk = min(m.MaxAutoRisk, usual.MaxAutoRisk)
	return m
}

// Automatic reports whether the mode uses a tool of this risk without asking the user. Nothing critical ever is.
func (m Mode) Automatic(r Risk) bool { return r <= m.MaxAutoRisk && r < Critical }
