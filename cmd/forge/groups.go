package main

import "github.com/spf13/cobra"

// What forge help says above the commands.
const (
	helpText = `Forge runs a request through a model, compilers and tests, in a scratch copy of your folder, and gives back an edit that you
preview, accept in part and undo. Nothing is written to your files before you say yes.

A command ends with 0 when all is well, 1 when something failed, 2 when it was called wrongly, 3 when it is blocked and needs
you, 4 when it was cancelled, and 5 when Forge itself is at fault.`
	helpExample = `  forge demo                      see it work: no key, no server
  forge doctor                    is anything missing?
  forge setup                     keep the key of a provider
  forge run "fix the failing test"`
)

// trustUsage says what the flag --trust of a command means, for that call and for good.
const trustUsage = "trust the folder from now on: its skills and instructions are read, and its compilers and tests, which execute its code, may run"

// group is some commands that belong together for a person.
type group struct {
	title    string
	commands []*cobra.Command
}

// ownGroup is where cobra's own commands stand, too.
const ownGroup = "Forge itself:"

// groups are all commands, as forge help lists them.
func groups(t terminal) []group {
	return []group{
		{"Work:", []*cobra.Command{newRun(t), newAsk(t), newReview(t), newSpec(t), newApply(t), newRename(t), newReplace(t), newResume(t), newKill(t), newUndo(t), newRedo(t)}},
		{"What was done:", []*cobra.Command{newRuns(t), newLog(t), newGraph(t), newEvents(t), newIterations(t), newCheckpoints(t), newTask(t), newSessions(t)}},
		{"The folder:", []*cobra.Command{newValidate(t), newSearch(t), newSymbols(t), newMap(t)}},
		{"What a model is told:", []*cobra.Command{newClassify(t), newExplore(t), newPrompt(t), newSkills(t)}},
		{"Models and what they cost:", []*cobra.Command{newSetup(t), newModels(t), newCost(t), newBatches(t), newCache(t)}},
		{"What Forge keeps:", []*cobra.Command{newMemory(t), newProject(t), newProjects(t), newGC(t)}},
		{ownGroup, []*cobra.Command{newDoctor(t), newDemo(t), newLSP(t), newDev(t)}},
	}
}
