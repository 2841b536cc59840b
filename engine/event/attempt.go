package event

// AttemptJudged tells how an attempt to write the change came out, and what the attempts so far say together.
type AttemptJudged struct {
	Part    string `json:",omitempty"` // of the plan; empty for the whole task
	Attempt int    // from 1
	Of      int    // how many there may be
	Passed  int    // checks
	Total   int
	Score   float64 // Passed over Total: 0 to 1
	// Velocity is the score won per attempt, over the last four at most; 0 before there are three.
	Velocity float64
	Failures []string // what failed, by names that survive edits; sorted
	// Stagnation is why the attempts do not come nearer: "same failures", "oscillation", "no progress"; empty where they do.
	Stagnation     string
	Recommendation string // PASS, RETRY_WITH_DEBUGGER or ESCALATE
}

// TaskClassified tells that a model has named the kind of work, where the rules alone were not sure of it.
type TaskClassified struct{ Class Class }

// Diagnosed tells what is made of attempts that failed, before the next one begins.
type Diagnosed struct {
	Part      string `json:",omitempty"` // of the plan; empty for the whole task
	Attempt   int    // the next one
	Class     string // stuck, missing_context, blocked, unclear; empty where nothing stands in the way
	Rule      string // that showed it; "model" where one broke a tie
	Reason    string // for people
	RootCause string // as the debugger sees it; empty where it was not asked
	Strategy  string // what it wants to be done differently
	MustRead  []string
}

// Learned tells what memory was taught by the gates of an attempt. It comes after AttemptJudged.
type Learned struct {
	Part     string `json:",omitempty"` // of the plan; empty for the whole task
	Attempt  int
	Patterns []LearnedPattern
}

// LearnedPattern is one pattern of memory after a verdict.
type LearnedPattern struct {
	Category            string
	Text                string
	Successes, Failures int
	Confidence          float64
}
