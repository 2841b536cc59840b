package main

import (
	"github.com/spf13/cobra"

	"forge/cmd/forge/keep"
	"forge/cmd/forge/look"
	"forge/cmd/forge/terminal"
	"forge/cmd/forge/work"
)

// The texts of forge help above the commands.
const (
	helpText = `Forge runs a request through a model, compilers and tests, in a scratch copy of your folder, and gives back an edit that you
preview, accept in part and undo. Nothing is written to your files before you say yes.

A command ends with 0 when all is well, 1 when something failed, 2 when it was called wrongly, 3 when it is blocked and needs
you, 4 when it was cancelled, 5 when Forge itself is at fault, and 6 when it would have had to ask and may not.`
	helpExample = `  forge demo                      see it work: no key, no server
  forge doctor                    is anything missing?
  forge setup                     keep the key of a provider
  forge run "fix the failing test"`
)

// group is some commands that belong together for the user.
type group struct {
	title    string
	commands []*cobra.Command
}

// ownGroup is where cobra's own commands stand, too.
const ownGroup = "Forge itself:"

// groups are all commands, as forge help lists them.
func groups(t terminal.Terminal) []group {
	return []group{
		{"Work:", []*cobra.Command{work.NewRun(t), work.NewAsk(t), work.NewReview(t), work.NewSpec(t), work.NewApply(t), work.NewRename(t), work.NewReplace(t), work.NewResume(t), keep.NewKill(t), work.NewUndo(t), work.NewRedo(t)}},
		{"What was done:", []*cobra.Command{keep.NewRuns(t), keep.NewLog(t), keep.NewGraph(t), keep.NewEvents(t), keep.NewIterations(t), keep.NewCheckpoints(t), keep.NewTask(t), keep.NewSessions(t), keep.NewAudit(t)}},
		{"The folder:", []*cobra.Command{look.NewValidate(t), look.NewSearch(t), look.NewSymbols(t), look.NewMap(t)}},
		{"What a model is given:", []*cobra.Command{look.NewClassify(t), look.NewExplore(t), work.NewPrompt(t), keep.NewSkills(t)}},
		{"Models and what they cost:", []*cobra.Command{keep.NewSetup(t), keep.NewModels(t), keep.NewCost(t), keep.NewBatches(t), keep.NewCache(t), keep.NewMCP(t)}},
		{"What Forge keeps:", []*cobra.Command{keep.NewMemory(t), keep.NewProject(t), keep.NewProjects(t), keep.NewTrust(t), keep.NewUntrust(t), keep.NewPermissions(t), keep.NewGC(t)}},
		{ownGroup, []*cobra.Command{keep.NewDoctor(t), newDemo(t), newLSP(t), newDev(t)}},
	}
}
