package execution

import (
	"context"
	"time"

	"forge/codeintel"
	"forge/engine/activity"
	"forge/engine/agent"
	"forge/engine/atlas"
	"forge/engine/checks"
	"forge/engine/graph"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/engine/prompt"
	"forge/engine/state"
	"forge/engine/tool"
)

// Host is what executions of runs stand on: the rooms of the engine, and what it was given from the outside.
type Host struct {
	State   *state.State
	Ledger  *history.Ledger
	History *history.History
	Calls   *activity.Calls
	Checks  *checks.Checkers
	Secrets Secrets

	Chooser  llm.Chooser
	Outliner codeintel.Outliner // nil leaves the symbols of files out
	Skills   []prompt.SkillRoot // of the user
	Agents   []agent.Root       // of the user
	Settings func(ctx context.Context, folder string) Settings
	// Atlas gives what is known of a folder once all is known that is on disk, or for as long as a run waits; complete says which.
	Atlas  func(ctx context.Context, root string) (known *atlas.Atlas, complete bool, err error)
	Crew   func() graph.Crew // works on the nodes of a run
	Suites *checks.Suites    // run in the background
	Now    func() time.Time
}

// Settings are those settings of a folder that executions read, whenever they do.
type Settings struct {
	Cache  bool                   // see engine.Settings
	Grants tool.Grants            // what tools may do beyond the tree
	Web    tool.Web               // nil reads no pages
	MCP    func() tool.MCPSession // opens a session for a run, which starts nothing by itself; nil calls no tools of MCP servers
	Skills []prompt.SkillRoot     // beside those of the user
	Guides []string               // names of files in which a project says how it wants changes to be; none is the usual ones

	Patience Patience
}
