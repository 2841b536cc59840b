package main

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
		"a flag":             {&api.ArgumentError{Field: "since", Want: "no length of time"}, exitUsage, "--since: no length of time"},
		"no task":            {service.Missing(service.Tasks, "task_1", in, memory.ErrNotFound), exitFailed, "there is no task task_1: forge task list"},
		"no memory":          {service.Missing(service.Memory, "entry-1", in, memory.ErrNotFound), exitFailed, "nothing is remembered as entry-1: forge memory list"},
		"no specification":   {service.Missing(service.Specs, "", in, memory.ErrNotFound), exitFailed, "/w has no such specification"},
		"a version that was": {service.Missing(service.Specs, "", in, memory.ErrCollected), exitFailed, "the specification of /w: no longer kept"},
		"a run that is on":   {&service.BusyError{RunID: "r-1", State: "running", Within: 10 * time.Second}, exitFailed, "still running after 10s: forge sessions shows"},
		"no run":             {engine.ErrNoRun, exitFailed, "forge runs lists those of a folder"},
		"no batch":           {fmt.Errorf("batch b: %w", engine.ErrNoBatch), exitFailed, "forge batch list shows those there are"},
		"no trust":           {engine.ErrNotTrusted, exitBlocked, "forge validate --trust"},
		"cancelled":          {fmt.Errorf("ask: %w", context.Canceled), exitCancelled, "cancelled"},
		"explained already":  {&exitError{exitBlocked, "wait"}, exitBlocked, "wait"},
		"anything else":      {errors.New("the disk is full"), exitFailed, "the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var exit *exitError
			require.ErrorAs(t, explained(tc.err), &exit)
			require.Equal(t, tc.code, exit.code)
			require.Contains(t, exit.text, tc.want)
		})
	}
	require.NoError(t, explained(nil))
}
