// Command forge runs a language-model pipeline against a workspace: as a language server for editors,
// and on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"forge/cmd/forge/keep"
	"forge/cmd/forge/look"
	"forge/cmd/forge/settings"
	"forge/cmd/forge/terminal"
	"forge/cmd/forge/work"
	"forge/engine/config"
	"forge/engine/sandbox"
	"forge/internal/failpoint"
	"forge/lsp"
)

// version is set by the linker in a release: -ldflags "-X main.version=1.2.3".
var version = "dev"

// redaction is set to "off" by the linker, and only in the program with which a test proves that it would find a secret.
var redaction = "on"

// webReach is set to "loopback" by the linker for tests, which have no address on the public web: loopback then counts as public.
var webReach = ""

func main() {
	limitMemory()
	if err := sandbox.Shield(); err != nil {
		fmt.Fprintf(os.Stderr, "forge: other processes of this user can read its memory: %v\n", err)
	}
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil { // for tests that kill the program
		fmt.Fprintln(os.Stderr, "forge: "+err.Error())
		os.Exit(terminal.ExitUsage)
	}
	t := terminal.SystemIO(terminal.Build{Version: version, Redaction: redaction, WebReach: webReach})
	terminal.LogSafely(t)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // ignored under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	code := survive(t, func() int { return execute(ctx, newRoot(t)) })
	stop()
	os.Exit(code)
}

// survive reports a panic without the secrets that Go's own report would print.
func survive(t terminal.Terminal, do func() int) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(t.Err, "forge: internal error, please report it: %v\n\n%s", fault, debug.Stack())
			code = terminal.ExitBroken
		}
	}()
	return do()
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, root *cobra.Command) int {
	err := root.ExecuteContext(ctx)
	var exit *terminal.ExitError
	switch {
	case err == nil:
		return terminal.ExitOK
	case errors.As(err, &exit):
		if exit.Text != "" {
			fmt.Fprintln(root.ErrOrStderr(), "forge: "+exit.Text)
		}
		return exit.Code
	}
	fmt.Fprintln(root.ErrOrStderr(), "forge: "+err.Error())
	return terminal.ExitUsage
}

func newRoot(io terminal.Terminal) *cobra.Command {
	root := &cobra.Command{
		Use:           "forge",
		Short:         "Run a request through a model, compilers and tests, and return an edit that you can preview, accept in part and undo",
		Long:          helpText,
		Example:       helpExample,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,

		PersistentPreRunE: func(c *cobra.Command, _ []string) error { return terminal.CheckFlags(c) },
	}
	root.SetFlagErrorFunc(flagFault)
	root.SetIn(io.In)
	root.SetOut(io.Out)
	root.SetErr(io.Err)
	for _, g := range groups(io) {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	expectCommands(root)
	root.SetHelpCommandGroupID(ownGroup)
	root.SetCompletionCommandGroupID(ownGroup)
	return root
}

// expectCommands has commands that only group others reject an argument that names none of them. The library would print their help, as if all were well.
func expectCommands(above *cobra.Command) {
	for _, c := range above.Commands() {
		expectCommands(c)
		if !c.Runnable() {
			c.Args, c.RunE = cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// The texts that forge help prints around the list of commands.
const (
	helpText = `Forge runs a request through a model, compilers and tests, in a scratch copy of your folder, and returns an edit that you
preview, accept in part and undo. It does not change your files before you accept the edit.

Exit codes: 0 success, 1 failure, 2 wrong usage, 3 blocked until you act, 4 cancelled, 5 internal error, 6 with
--non-interactive: blocked, or failed after a question was denied.`
	helpExample = `  forge demo                      see it work: no key, no server
  forge doctor                    check the installation
  forge setup                     store the key of a provider
  forge run "fix the failing test"`
)

// group is a group of commands in the help.
type group struct {
	title    string
	commands []*cobra.Command
}

// ownGroup also contains cobra's own commands.
const ownGroup = "Forge itself:"

// groups are all commands, in the order of forge help.
func groups(t terminal.Terminal) []group {
	return []group{
		{"Work:", []*cobra.Command{work.NewRun(t), work.NewAsk(t), work.NewReview(t), work.NewPlan(t), work.NewSpec(t), work.NewApply(t), work.NewRename(t), work.NewReplace(t), work.NewResume(t), keep.NewKill(t), work.NewUndo(t), work.NewRedo(t)}},
		{"Runs and tasks:", []*cobra.Command{keep.NewRuns(t), keep.NewLog(t), keep.NewGraph(t), keep.NewEvents(t), keep.NewIterations(t), keep.NewCheckpoints(t), keep.NewCommitMessage(t), keep.NewTask(t), keep.NewHistory(t), keep.NewConversations(t), keep.NewSessions(t), keep.NewAudit(t)}},
		{"The folder:", []*cobra.Command{look.NewValidate(t), look.NewSearch(t), look.NewFiles(t), look.NewSymbols(t), look.NewMap(t)}},
		{"Prompts:", []*cobra.Command{look.NewClassify(t), look.NewExplore(t), work.NewPrompt(t), settings.NewSkills(t), settings.NewAgents(t)}},
		{"Models and costs:", []*cobra.Command{settings.NewSetup(t), settings.NewModels(t), keep.NewCost(t), keep.NewBatches(t), keep.NewCache(t), settings.NewMCP(t)}},
		{"Stored data:", []*cobra.Command{keep.NewMemory(t), keep.NewPlaybooks(t), keep.NewExtract(t), keep.NewProject(t), keep.NewProjects(t), settings.NewTrust(t), settings.NewUntrust(t), settings.NewPermissions(t), keep.NewWorktrees(t), keep.NewGC(t)}},
		{ownGroup, []*cobra.Command{settings.NewDoctor(t), newDemo(t), newLSP(t), newACP(t), newDev(t)}},
	}
}

// softMemory is the soft memory limit in bytes: garbage of reading a large folder is collected sooner, without a measurable loss of
// time. A folder that needs more memory gets it.
const softMemory = 220 << 20

// limitMemory sets the limit, unless the environment sets one.
func limitMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
}

func newLSP(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor on stdin and stdout, in the Language Server Protocol",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t := t.ForServer()
			p, err := terminal.OpenParts(t, config.Models{})
			if err != nil {
				return err
			}
			defer p.Close()
			code := lsp.ServeStdio(c.Context(), lsp.Options{
				Engine: lsp.EngineOf(p.Engine), Atlas: lsp.AtlasOf(p.Engine), Outliner: terminal.NewOutliner(), Model: p.Model, Version: t.Version,
				Models: p.Survey, ModelChecks: p.ModelChecks, Configure: p.Configure, Log: slog.New(slog.NewTextHandler(t.Err, nil)),
			})
			return &terminal.ExitError{Code: code}
		},
	}
}
