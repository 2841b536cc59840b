package terminal

import (
	"context"
	"fmt"
	"time"

	"forge/api/service"
	"forge/engine"
	"forge/internal/inert"
)

// Remind mentions the newest interrupted run of a folder. It is only a hint: it reports no error, because the commands that need the
// run do.
func Remind(ctx context.Context, t Terminal, e *engine.Engine, root string) {
	if trusted, err := e.Trusted(root); err != nil || !trusted {
		return
	}
	runs, err := e.Interrupted(ctx, root)
	if err != nil || len(runs) == 0 {
		return
	}
	more := ""
	if len(runs) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(runs)-1)
	}
	fmt.Fprintf(t.Err, "[forge] a run was interrupted %s%s: \"%s\"; to resume: forge resume %s\n",
		service.Ago(time.Since(runs[0].Active)), more, inert.Text(runs[0].Title), runs[0].ID)
}
