package work

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
)

// directFlags name tools that do the work, so that no model is asked for it: each --tool has an --args, in order.
type directFlags struct{ tools, args []string }

func (f *directFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.tools, "tool", nil, "a tool that does the work, so that no model is asked for it; again for more, in order: "+strings.Join(engine.DirectTools(), ", "))
	c.Flags().StringArrayVar(&f.args, "args", nil, "the arguments of each --tool, as a JSON object, or @FILE that has one")
}

// task demands a task, unless tools say what is to be done.
func (f *directFlags) task(c *cobra.Command, args []string) error {
	if len(f.tools) > 0 && len(args) == 0 {
		return nil
	}
	return terminal.OneTask(c, args)
}

// given are the tools with their arguments.
func (f *directFlags) given() ([]engine.Action, error) {
	if len(f.tools) != len(f.args) {
		return nil, terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("there are %d --tool and %d --args: give each tool its arguments, as in\n"+
			`  forge run --tool delete_file --args '{"path": "old.go"}'`, len(f.tools), len(f.args)))
	}
	var actions []engine.Action
	for i, name := range f.tools {
		args, err := argumentsIn(f.args[i])
		if err != nil {
			return nil, err
		}
		actions = append(actions, engine.Action{Tool: name, Args: args})
	}
	return actions, nil
}

// argumentsIn are arguments that the user typed, or those of the file after an @.
func argumentsIn(text string) (json.RawMessage, error) {
	file, named := strings.CutPrefix(text, "@")
	if !named {
		return json.RawMessage(text), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--args @%s: %v", file, err))
	}
	return data, nil
}
