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

// WorkState is how the work of an attempt ended, as whoever did it has it.
type WorkState string

// The states of work. None of them says that the change is right: gates and the reviewer do.
const (
	WorkDone             WorkState = "DONE"
	WorkDoneWithConcerns WorkState = "DONE_WITH_CONCERNS"
	WorkBlocked          WorkState = "BLOCKED"
)

// WorkReported tells how the work of an attempt ended, before anybody judges it.
type WorkReported struct {
	Part     string `json:",omitempty"` // of the plan; empty for the whole task
	Node     string
	Attempt  int // from 1
	State    WorkState
	Reason   string      // of WorkBlocked
	Concerns []string    // what a reviewer should look at twice
	Tools    []ToolCount // that the model has used in this attempt, in the order of their first use
}

// ToolCount is how often a tool was used.
type ToolCount struct {
	Tool         string
	Used, Failed int // Failed are those among Used that had no answer
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
