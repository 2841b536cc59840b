package pipeline

// unit is the state of a module: which work it is, and what its attempts have made and shown so far.
type unit struct {
	run       *run
	job       *job
	budget    *budget
	questions *questions
	begin     *beginning
	now       *attempt
	tested    *tested
	known     *known
	history   *history
}

// newUnit is the state of a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and
// tools say.
func newUnit(j *job, most, tools int) *unit {
	r := j.run
	u := &unit{run: r, job: j, begin: &beginning{}, known: &known{}}
	u.budget = &budget{run: r, job: j, most: most, tools: tools}
	u.questions = &questions{run: r, job: j}
	u.now = &attempt{run: r, job: j, begin: u.begin}
	u.tested = &tested{run: r, begin: u.begin, now: u.now}
	u.history = &history{run: r, job: j, now: u.now, tested: u.tested}
	return u
}
