package terminal

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/activity"
	"forge/engine/history"
	"forge/memory"
)

func TestExplained_GivesAnExitCodeAndAdvice(t *testing.T) {
	t.Parallel()
	in := service.At("/w")
	for name, tc := range map[string]struct {
		err  error
		code int
		want string
	}{
		"a flag":             {&api.ArgumentError{Field: "since", Problem: "no length of time"}, ExitUsage, "--since: no length of time"},
		"no task":            {service.Missing(service.Tasks, "task_1", in, memory.ErrNotFound), ExitFailed, "unknown task task_1: forge task list"},
		"no memory":          {service.Missing(service.Memory, "entry-1", in, memory.ErrNotFound), ExitFailed, "memory has no row entry-1: forge memory list"},
		"no specification":   {service.Missing(service.Specs, "", in, memory.ErrNotFound), ExitFailed, "/w has no such version of the specification"},
		"a version that was": {service.Missing(service.Specs, "", in, memory.ErrCollected), ExitFailed, "the specification of /w: no longer kept"},
		"a run that is on":   {&service.BusyError{RunID: "r-1", State: "running", Within: 10 * time.Second}, ExitFailed, "still running after 10s: forge sessions shows"},
		"no run":             {history.ErrNoRun, ExitFailed, "forge runs lists the runs of a folder"},
		"no batch":           {fmt.Errorf("batch b: %w", activity.ErrNoBatch), ExitFailed, "forge batch list shows all batches"},
		"no trust":           {engine.ErrNotTrusted, ExitBlocked, "forge validate --trust"},
		"cancelled":          {fmt.Errorf("ask: %w", context.Canceled), ExitCancelled, "cancelled"},
		"explained already":  {ExitWith(ExitBlocked, "wait"), ExitBlocked, "wait"},
		"anything else":      {errors.New("the disk is full"), ExitFailed, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var exit *ExitError
			require.ErrorAs(t, Explained(tc.err), &exit)
			require.Equal(t, tc.code, exit.Code)
			require.Contains(t, exit.Text, tc.want)
		})
	}
	require.NoError(t, Explained(nil))
}
