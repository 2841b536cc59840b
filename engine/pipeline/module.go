package pipeline

// module is work that ends in one change: all of a task, or a part of it that a plan names. It has an explorer, an executor and a
// review of its own, and attempts of its own. What belongs to all modules of a run is the run's.
//
// Each of its objects owns its state and knows those that it works with. An object may use those above it, and none below.
//
// What a node of a module writes here is read by nodes that wait for it only, so that the graph's order is the only lock.
type module struct {
	run *run
	job *job
	// What is known of the work.
	budget    *budget
	questions *questions
	begin     *beginning
	now       *attempt
	tested    *tested
	known     *known
	history   *history
	// What judges it.
	checker  *checker
	promises *promises
	reds     *reds
	// What is done for it.
	prompter  *prompter
	explorer  *explorer
	diagnosis *diagnosis
	joiner    *joiner
	reviewer  *reviewer
	executor  *executor
}

// newModule is a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and tools say.
func newModule(j *job, most, tools int) *module {
	r := j.run
	m := &module{run: r, job: j, begin: &beginning{}, known: &known{}}
	m.budget = &budget{run: r, job: j, most: most, tools: tools}
	m.questions = &questions{run: r, job: j}
	m.now = &attempt{run: r, job: j, begin: m.begin}
	m.tested = &tested{run: r, begin: m.begin, now: m.now}
	m.history = &history{run: r, job: j, now: m.now, tested: m.tested}

	m.checker = &checker{run: r, gates: r.gates, job: j, begin: m.begin, now: m.now, tested: m.tested}
	m.promises = &promises{run: r, gates: r.gates, job: j, begin: m.begin, questions: m.questions, now: m.now, tested: m.tested, known: m.known, checker: m.checker}
	m.reds = &reds{run: r, gates: r.gates, job: j, begin: m.begin, now: m.now, tested: m.tested, checker: m.checker}

	m.prompter = &prompter{run: r, job: j, begin: m.begin, tested: m.tested, known: m.known, promises: m.promises}
	m.explorer = &explorer{run: r, job: j, begin: m.begin, budget: m.budget, known: m.known, history: m.history, prompter: m.prompter}
	m.diagnosis = &diagnosis{run: r, job: j, budget: m.budget, questions: m.questions, now: m.now, tested: m.tested, known: m.known, history: m.history, prompter: m.prompter}
	m.joiner = &joiner{run: r, gates: r.gates, job: j, begin: m.begin, now: m.now, history: m.history, checker: m.checker, reds: m.reds}
	m.reviewer = &reviewer{run: r, gates: r.gates, job: j, budget: m.budget, questions: m.questions, now: m.now, tested: m.tested, history: m.history,
		checker: m.checker, promises: m.promises, prompter: m.prompter, diagnosis: m.diagnosis, joiner: m.joiner}
	m.executor = &executor{run: r, gates: r.gates, job: j, begin: m.begin, budget: m.budget, questions: m.questions, now: m.now, tested: m.tested, known: m.known,
		history: m.history, checker: m.checker, promises: m.promises, reds: m.reds, prompter: m.prompter, diagnosis: m.diagnosis, joiner: m.joiner}
	return m
}
