package work

// Module is the state of a module: which work it is, and what its attempts have made and shown so far.
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

// NewModule is the state of a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and
// tools say.
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
