package pipeline

import (
	"strings"

	"forge/engine/agent"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/module"
)

// Agents returns the built-in agents, with the instructions that their models get in a run, but for the list of tools.
func Agents() []agent.Agent {
	told := module.Instructions()
	told["worker"] = dialogue.WorkerInstructions()
	told[agent.Explorer] += "\n\n" + subagentInstructions
	all := agent.Builtin()
	for i := range all {
		all[i].Instructions = strings.NewReplacer("\nThe providers:\n", "\n", "\nThe tools:\n", "\n").Replace(told[all[i].Name])
		all[i].Instructions = strings.TrimSpace(all[i].Instructions)
	}
	return all
}
