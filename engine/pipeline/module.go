package pipeline

import (
	"forge/engine/gate"
	"forge/engine/step"
)

// module is work that ends in one change: all of a task, or a part of it that a plan names. It has an explorer, an executor and a
// review of its own, and attempts of its own. What belongs to all modules of a run is the run's.
//
// What a node of a module writes here is read by nodes that wait for it only, so that the graph's order is the only lock.
type module struct {
	run       *run
	job       *job
	budget    *budget
	questions *questions
	begin     *beginning
	now       *attempt
	tested    *tested
	known     *known
	history   *history

	judged
	past
}

// newModule is a module that has done nothing yet. It may have as many exchanges with models and calls of tools as most and tools say.
func newModule(j *job, most, tools int) *module {
	m := &module{run: j.run, job: j, begin: &beginning{}, known: &known{}}
	m.budget = &budget{run: j.run, job: j, most: most, tools: tools}
	m.questions = &questions{run: j.run, job: j}
	m.now = &attempt{run: j.run, job: j, begin: m.begin}
	m.tested = &tested{run: j.run, begin: m.begin, now: m.now}
	m.history = &history{run: j.run, job: j, now: m.now, tested: m.tested}
	return m
}

// judged is what was said of the last attempt, by review.
type judged struct {
	checked []gate.Report // what gates said of the tree, whatever they said before the run
	based   []gate.Report // what they said of the tree without the change, in its scope, where the baseline does not have it
	reports []gate.Report // what of that decides
	opinion *gate.Report  // what the reviewer said
}

// past is what the diagnosis keeps of all attempts so far.
type past struct {
	trouble    string       // what went wrong in the last attempt
	class      string       // of the last diagnosis
	causes     []string     // that the debugger named
	strategies []string     // that it named
	lost       []step.Place // of roles that could not be asked
}
