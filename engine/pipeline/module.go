package pipeline

import (
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/integrity"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// module is work that ends in one change: all of a task, or a part of it that a plan names. It has an explorer, an executor and a
// review of its own, and attempts of its own. What belongs to all modules of a run is the run's.
//
// What a node of a module writes here is read by nodes that wait for it only, so that the graph's order is the only lock.
type module struct {
	*run
	id      string          // before the names of its nodes; empty for the whole task
	part    *plan.Part      // what it is of a plan; nil for the whole task, and for what joins parts
	after   []*module       // whose results it begins with; parts of one tier have begun with the same
	joins   bool            // its first attempt only puts those together
	start   step.State      // by explore: the tree that its attempts begin with
	given   patch.ChangeSet // by explore, for what joins by executor: what start differs in from the person's tree
	earlier earlier         // by explore: what it has to keep of those before it
	clashes []patch.Clash   // by explore: of those, what does not go together
	most    int             // exchanges with models that it may have; see count
	tools   int             // tools that it may use

	used
	tested
	attempted
	judged
	past
}

// used is what a module has used so far, of what it may.
type used struct {
	steps  int // by whoever asks a model: exchanges
	calls  int // by executor: tools
	abroad int // by executor: those of them that left the machine
	asked  int // by whoever asks the person: questions
}

// tested is what a module has of its tests. They outlast the attempt that wrote them.
type tested struct {
	tests    *patch.ChangeSet // by executor: tests that were seen red
	red      integrity.Reds   // by executor: what those of each suite were seen to do
	excuse   string           // by executor: what the model said of the tests that it has written
	released []string         // by executor: what the person has let the gate regression find
	refused  []string         // by executor: what the person has not let it find
	// faultyTests is set by review when the fault lies in the tests themselves, so that the executor
	// writes them anew although tests are frozen otherwise.
	faultyTests bool
	// disowned is set once the implementation has said that a test of this run is wrong: it is heard once.
	disowned bool
	unseen   bool // by executor: the tests could not be run before there was an implementation
}

// attempted is what the attempt that is under way has made, by the executor.
type attempted struct {
	attempt  int
	last     patch.ChangeSet // the latest edit, accepted or not
	unparsed bool            // the last syntax check found something
	idle     string          // why the attempt is taken for none; empty where something was changed
	worked   worked          // what is said of the attempt beside its edits
	tree     step.State      // the edits of the attempt, as they were matched
	changes  patch.ChangeSet // all of the attempt
}

// judged is what was said of the last attempt, by review.
type judged struct {
	checked []gate.Report // what gates said of the tree, whatever they said before the run
	based   []gate.Report // what they said of the tree without the change, in its scope, where the baseline does not have it
	reports []gate.Report // what of that decides
	opinion *gate.Report  // what the reviewer said
}

// past is what all attempts so far came to, in order: written by executor and review, read before the next attempt.
type past struct {
	explored   []looked         // by explore
	advice     []prompt.Section // by explore: for the attempt that begins
	tries      []try            // that were judged
	drafts     []draft          // what attempts have made
	edits      []edited         // of this attempt, so far
	saw        []string         // files that the model was shown whole
	trouble    string           // what went wrong in the last attempt
	class      string           // of the last diagnosis
	causes     []string         // that the debugger named
	strategies []string         // that it named
	lost       []step.Place     // of roles that could not be asked
	decided    bool             // the module ended by what was said of its attempts, and not because something could not be done
	moved      string           // the snapshot that attempts begin with since the run was resumed; empty is that of the run
	answers    []prompt.Section // what the user said to a model that could not go on
	answered   string           // the words of the user in them, and nothing of the model's
	wanting    string           // what a model said it was missing, where the user gave no answer; empty otherwise
	resulted   string           // a digest of what this attempt came to
	repeats    int              // the attempt whose edit or result this attempt has again; 0 where there is none
	unusable   bool             // repeats is of an answer that could not be used
	refusals   []refusal        // answers that could not be used, of all attempts
	usedUp     bool             // by executor and review: there are no attempts left
}

// node is the id of the module's node of a kind.
func (m *module) node(kind string) string {
	if m.id == "" {
		return kind
	}
	return m.id + "/" + kind
}

// as is where the steps of a role stand that asks in a node of the module.
func (m *module) as(role string, n graph.Node) step.Place {
	return step.Place{Node: m.node(role), Attempt: n.Attempt}
}
