package api

// Bounds say how far a run goes. Where one is left out, or 0, it is what the user has set.
type Bounds struct {
	Attempts  int  `json:"attempts,omitempty" doc:"how often the change may be tried, 1 to 20"`
	MaxHops   int  `json:"maxHops,omitempty" doc:"how often the graph may go back, such as from a review to the executor, 1 to 1000"`
	Tasks     int  `json:"tasks,omitempty" doc:"how many nodes work at once, 1 to 64"`
	Writers   int  `json:"writers,omitempty" doc:"how many of them may write changes, 1 to 64"`
	Rounds    int  `json:"exploreRounds,omitempty" doc:"how often a model is asked what else must be read before anything is written, 1 to 50"`
	NoExplore bool `json:"noExplore,omitempty" doc:"never ask that"`
}

// Direct is a tool that does the work, or a part of it, without a model.
type Direct struct {
	Tool string `json:"tool" doc:"such as apply_patch"`
	Args any    `json:"args" doc:"an object, as the tool takes it"`
}
