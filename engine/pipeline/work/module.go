package work

// Module is the state of a module: its work, and the results of its attempts so far.
type Module struct {
	Run       *Run
	Job       *Job
	Budget    *Budget
	Questions *Questions
	Start     *Start
	Now       *Attempt
	Tests     *Tests
	Findings  *Findings
	History   *History
}

// NewModule returns the state of a module that has done nothing yet. most and tools limit its exchanges with models and its tool
// calls.
func NewModule(j *Job, most, tools int) *Module {
	r := j.Run
	u := &Module{Run: r, Job: j, Start: &Start{}, Findings: &Findings{}}
	u.Budget = &Budget{run: r, job: j, Most: most, Tools: tools}
	u.Questions = &Questions{run: r, job: j}
	u.Now = &Attempt{run: r, job: j, begin: u.Start}
	u.Tests = &Tests{run: r, begin: u.Start, now: u.Now}
	u.History = &History{run: r, job: j, now: u.Now, tested: u.Tests}
	return u
}
