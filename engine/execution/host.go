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

// Host holds the dependencies of executions: the parts of the engine, and what the engine was given.
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
	// Atlas returns the index of a folder. It waits until all files are indexed, but no longer than a run does; complete reports whether they are.
	Atlas  func(ctx context.Context, root string) (known *atlas.Atlas, complete bool, err error)
	Pool   func() graph.Pool // works on the nodes of a run
	Suites *checks.Suites    // run in the background
	Now    func() time.Time
}

// Settings are the settings of a folder that executions read: the current ones, not those from the beginning of the run.
type Settings struct {
	Cache  bool                               // see engine.Settings
	Grants tool.Grants                        // what tools may do beyond the tree
	Web    tool.Web                           // nil reads no pages
	MCP    func(offline bool) tool.MCPSession // opens a session for a run; servers start on the first call. Nil calls no tools of MCP servers
	Skills []prompt.SkillRoot                 // in addition to those of the user
	Guides []string                           // names of files with a project's instructions for changes; none means the default names

	Patience Patience
}
