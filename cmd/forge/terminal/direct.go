package terminal

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"forge/engine"
)

// DirectFlags name tool calls that run without a model: each --tool has an --args, in order.
type DirectFlags struct{ tools, args []string }

// Add adds the flags to a command.
func (f *DirectFlags) Add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.tools, "tool", nil, "a tool to run without a model; repeatable, in order: "+strings.Join(engine.DirectTools(), ", "))
	c.Flags().StringArrayVar(&f.args, "args", nil, "arguments of each --tool: a JSON object, or @FILE with one")
}

// Task requires a task, unless there are tool calls.
func (f *DirectFlags) Task(c *cobra.Command, args []string) error {
	if len(f.tools) > 0 && len(args) == 0 {
		return nil
	}
	return OneTask(c, args)
}

// Given returns the tool calls.
func (f *DirectFlags) Given() ([]engine.Action, error) {
	if len(f.tools) != len(f.args) {
		return nil, ExitWith(ExitUsage, fmt.Sprintf("%d --tool and %d --args: each tool needs its arguments, as in\n"+
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

// argumentsIn returns the given arguments, or the content of the file after an @.
func argumentsIn(text string) (json.RawMessage, error) {
	file, named := strings.CutPrefix(text, "@")
	if !named {
		return json.RawMessage(text), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, ExitWith(ExitUsage, fmt.Sprintf("--args @%s: %v", file, err))
	}
	return data, nil
}
