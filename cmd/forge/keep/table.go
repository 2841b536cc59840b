package keep

import (
	"fmt"

	"forge/cmd/forge/terminal"
)

// tableOr prints a table, or a message if it has no rows below its head.
func tableOr(t terminal.Terminal, rows [][]string, none string) error {
	if len(rows) == 1 {
		fmt.Fprintln(t.Err, "[forge] "+none)
		return nil
	}
	return terminal.Table(t.Out, rows)
}
