// Package agent describes the agents of a run: the built-in agents, and those that users add as Markdown files.
//
//	Builtin()  one table: roles, tier of the model, isolation, tools     ─► engine/config (tiers), engine/pipeline (tools), forge agents
//	Find(…)    agents of users, from .forge/agents and ~/.forge/agents   ─► the brief of a run; the orchestrator may delegate to them
//
// An agent asks for tools, and package permission decides about each call: an agent that a user adds acts as permission.Other or
// permission.Debug, so that it can never do more than look, check, and start commands that the user's settings allow.
//
// Invariant: the tools of an agent fit its isolation. A file that asks for more is left out, with the place of the fault.
package agent

import (
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/permission"
	"forge/engine/tool"
)

// Isolation is what the tools of an agent can touch.
type Isolation string

// The isolations. No agent touches the user's folder.
const (
	ReadOnly Isolation = "read-only" // its tools only read
	Scratch  Isolation = "scratch"   // it has a scratch tree, in which its tools may run programs
)

// Isolations are all of them.
func Isolations() []Isolation { return []Isolation{ReadOnly, Scratch} }

// holds reports whether an agent of this isolation may have a tool. Only the built-in worker has tools that write or leave the machine.
func (i Isolation) holds(t tool.Tool) bool {
	switch t.Effect {
	case permission.None, permission.Read:
		return !t.AnsweredByUser
	case permission.Exec:
		return i == Scratch
	}
	return false
}

// Agent does one kind of work in a run.
type Agent struct {
	Name        string
	Description string // one line: what it is for
	Roles       []Role // under which the run calls models for it; an agent of a user has the role of errands
	Isolation   Isolation
	Tools       []string // names of package tool
	Acts        permission.Agent
	// Instructions are those for the model; for an agent that a user adds, the text of its file.
	Instructions string
	Source       string `json:",omitempty"` // the file, for users; empty if it is built in
}

// Role is a role of a run: it chooses the model of a call.
type Role struct {
	Name string
	Tier llm.Tier // unless models.roles in the user's settings sets another one; empty is that of Errands
}

// Errands is the role of a delegated question.
const Errands = "subagent"

// Explorer is the agent of a delegated question that names no other.
const Explorer = "explorer"

// The agents that plan or judge.
const (
	Planner  = "planner"
	Reviewer = "reviewer"
	Overseer = "overseer"
)

// Debugger is the agent that finds the cause of a failure.
const Debugger = "debugger"

// readers are the tools of agents that plan or judge: what the run shows them may not be all that they need.
var readers = []string{"read_file", "search_code", "symbol_list", "import_graph"}

// Builtin returns the built-in agents.
func Builtin() []Agent {
	return []Agent{
		{
			Name: Planner, Description: "Splits a task into parts that can be written, tested and reviewed separately", Isolation: ReadOnly,
			Roles: []Role{{"planner", llm.Reasoning}}, Acts: permission.Other, Tools: readers,
		},
		{
			Name: Reviewer, Description: "Judges a change that compilers and tests have passed, against the request", Isolation: ReadOnly,
			Roles: []Role{{"review", llm.Reasoning}}, Acts: permission.Other, Tools: readers,
		},
		{
			Name: Overseer, Description: "Decides between two explanations for attempts that fail", Isolation: ReadOnly,
			Roles: []Role{{"overseer", llm.Classification}}, Acts: permission.Other, Tools: readers,
		},
		{
			Name: Explorer, Description: "Selects what must be read before a change, and answers questions about the code", Isolation: Scratch,
			Roles: []Role{{"explorer", llm.Classification}, {Errands, llm.Generation}}, Acts: permission.Plan, Tools: tool.Providers().Names(),
		},
		{
			Name: "worker", Description: "Writes the tests and the change", Isolation: Scratch,
			Roles: []Role{{"executor", llm.Generation}}, Acts: permission.Build, Tools: tool.Tools().Names(),
		},
		{
			Name: Debugger, Description: "Reproduces a failure in the tree of the failed attempt, and names its cause", Isolation: Scratch,
			Roles: []Role{{"debugger", llm.Reasoning}}, Acts: permission.Debug, Tools: []string{"read_file", "search_code", "symbol_list", "import_graph", "run_tests", "lint_check", tool.Command},
		},
	}
}

// Named returns the built-in agent of a name. It must exist.
func Named(name string) Agent {
	all := Builtin()
	return all[slices.IndexFunc(all, func(a Agent) bool { return a.Name == name })]
}

// Tiers returns the tiers of the roles of all built-in agents.
func Tiers() map[string]llm.Tier {
	tiers := map[string]llm.Tier{}
	for _, a := range Builtin() {
		for _, r := range a.Roles {
			tiers[r.Name] = r.Tier
		}
	}
	return tiers
}

// Set returns the tools of the agent, in its order.
func (a Agent) Set() (set tool.Set) {
	for _, name := range a.Tools {
		t, known := tool.Providers().Named(name) // with shorter limits of time
		if !known {
			t, known = tool.All().Named(name)
		}
		if known {
			set = append(set, t)
		}
	}
	return set
}

// Line returns the agent in one line: "auditor: Looks for unchecked errors".
func (a Agent) Line() string { return strings.TrimSuffix(a.Name+": "+a.Description, ": ") }
