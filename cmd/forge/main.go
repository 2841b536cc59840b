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
	"forge/cmd/forge/terminal"
	"forge/cmd/forge/work"
	"forge/engine/config"
	"forge/engine/sandbox"
	"forge/internal/failpoint"
	"forge/internal/lazyregexp"
	"forge/lsp"
	"forge/lsp/index"
)

// version is what the linker sets in a release: -ldflags "-X main.version=1.2.3".
var version = "dev"

// redaction is set to "off" by the linker in the program that a test proves its own eyes with; nothing else can.
var redaction = "on"

// webReach is set to "loopback" by the linker for tests alone, which have no address on the public web: then this machine is on it.
var webReach = ""

func main() {
	limitMemory()
	if err := sandbox.Shield(); err != nil {
		fmt.Fprintf(os.Stderr, "forge: other processes of yours can read its memory: %v\n", err)
	}
	if err := failpoint.Arm(os.Getenv(failpoint.Environment)); err != nil { // for tests that kill the program
		fmt.Fprintln(os.Stderr, "forge: "+err.Error())
		os.Exit(terminal.ExitUsage)
	}
	t := terminal.SystemIO(terminal.Build{Version: version, Redaction: redaction, WebReach: webReach})
	terminal.LogSafely(t)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	code := survive(t, func() int { return execute(ctx, newRoot(t)) })
	stop()
	os.Exit(code)
}

// survive reports a panic without its secrets, which Go itself would print.
func survive(t terminal.Terminal, do func() int) (code int) {
	defer func() {
		if fault := recover(); fault != nil {
			fmt.Fprintf(t.Err, "forge: this is an error of Forge's own, and it ends here; please report it: %v\n\n%s", fault, debug.Stack())
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

// parsing is how Go's own parsers begin what they say of a value; the flag and the value were named before.
var parsing = lazyregexp.New(`: strconv\.Parse\w+: parsing ".*": `)

// plainFlag says what is wrong with a flag without the name of the function that noticed it.
func plainFlag(text string) string { return parsing.ReplaceAllString(text, ": ") }

func newRoot(io terminal.Terminal) *cobra.Command {
	root := &cobra.Command{
		Use:           "forge",
		Short:         "Run a request through a model, compilers and tests, and get back an edit you can preview, accept in part and undo",
		Long:          helpText,
		Example:       helpExample,
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return errors.New(plainFlag(err.Error())) })
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
	root.SetHelpCommandGroupID(ownGroup)
	root.SetCompletionCommandGroupID(ownGroup)
	return root
}

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

// softMemory is how much memory the program tries to stay below: what reading a large folder leaves behind is then
// collected sooner, at no cost in time that could be measured. A folder that needs more gets more.
const softMemory = 220 << 20

// limitMemory sets the limit, unless the environment sets another.
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
			p, err := terminal.OpenParts(t, config.Models{})
			if err != nil {
				return err
			}
			defer p.Close()
			code := lsp.ServeStdio(c.Context(), lsp.Options{
				Engine: lsp.EngineOf(p.Engine), Atlas: index.AtlasOf(p.Engine), Outliner: terminal.NewOutliner(), Model: p.Model, Version: t.Version,
				Models: p.Survey, ModelChecks: p.ModelChecks, Configure: p.Configure, Log: slog.New(slog.NewTextHandler(t.Err, nil)),
			})
			return &terminal.ExitError{Code: code}
		},
	}
}
