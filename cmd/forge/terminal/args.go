package terminal

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// OneTask demands a task, and says how to give one.
func OneTask(_ *cobra.Command, args []string) error {
	const example = `forge run "add a Sum function to package stats, with tests"`
	switch {
	case len(args) == 0 || len(args) == 1 && strings.TrimSpace(args[0]) == "":
		return fmt.Errorf("there is no task: say what is to be done, as in\n  %s", example)
	case len(args) > 1:
		return fmt.Errorf("the task is %d arguments: put it in quotes, as in\n  %s", len(args), example)
	}
	return nil
}

// FocusPath is a path as the engine names files: with slashes, and without detours.
func FocusPath(file string) string {
	if file == "" {
		return ""
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// TrustToReadUsage says what the flag --trust of a command that only reads means, for that call and for good.
const TrustToReadUsage = "let models read the folder from now on; nothing of it is executed, and its instructions are not followed"

// TrustUsage says what the flag --trust of a command means, for that call and for good.
const TrustUsage = "trust the folder from now on: its skills and instructions are read, and its compilers and tests, which execute its code, may run"
