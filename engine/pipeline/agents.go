package pipeline

import (
	"strings"

	"forge/engine/agent"
	"forge/engine/pipeline/dialogue"
)

// Agents returns the built-in agents, with the instructions that their models get in a run, but for the list of tools.
func Agents() []agent.Agent {
	told := map[string]string{
		"planner": plannerInstructions, "reviewer": reviewInstructions, "overseer": overseerInstructions, "worker": dialogue.WorkerInstructions(),
		agent.Explorer: exploreInstructions + "\n\n" + subagentInstructions, agent.Debugger: debuggerInstructions,
	}
	all := agent.Builtin()
	for i := range all {
		all[i].Instructions = strings.NewReplacer("\nThe providers:\n", "\n", "\nThe tools:\n", "\n").Replace(told[all[i].Name])
		all[i].Instructions = strings.TrimSpace(all[i].Instructions)
	}
	return all
}
