// Command forge runs a language-model pipeline against a workspace: as a language server for editors,
// and on the command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/sandbox"
	"forge/internal/failpoint"
	"forge/internal/lazyregexp"
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
