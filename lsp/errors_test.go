package lsp

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/batch"
	"forge/engine/history"
	"forge/engine/llm"
	"forge/memory"
)

func TestAnswerable_NamesTheInvalidArgument(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	for name, tc := range map[string]struct {
		err  error
		code jsonrpc2.Code // 0 is that of a request that failed
		want string
		data string // JSON; empty without a remedy
	}{
		"an argument":       {&api.ArgumentError{Field: "text", Problem: "is required"}, jsonrpc2.InvalidParams, "text: is required", ""},
		"no run":            {history.ErrNoRun, jsonrpc2.InvalidParams, "This run does not exist any more (there is no such run). The list of runs shows what there is.", ""},
		"no batch":          {fmt.Errorf("batch b: %w", batch.ErrNoJob), jsonrpc2.InvalidParams, "The list of batches shows what there is", ""},
		"no row":            {service.Missing(service.Memory, "x", service.At("/w"), memory.ErrNotFound), jsonrpc2.InvalidParams, "not found", ""},
		"an illegal move":   {&memory.StateError{}, jsonrpc2.InvalidParams, "", ""},
		"a run that is on":  {&service.BusyError{RunID: "r-1", State: "running", Within: time.Second}, 0, "still running after 1s. Wait until it is done; the list of sessions shows who works on it", `{"remedy":"wait"}`},
		"no trust":          {engine.ErrNotTrusted, 0, "If you trust it: forge validate --trust in a terminal", `{"remedy":"trust"}`},
		"a key is missing":  {fmt.Errorf("choose: %w", &llm.Error{Kind: llm.KindAuth, Model: "m"}), 0, "choose: model m", `{"remedy":"key"}`},
		"an answer already": {jsonrpc2.NewError(jsonrpc2.InvalidParams, "folder: none"), jsonrpc2.InvalidParams, "folder: none", ""},
		"anything else":     {broken, 0, "the disk is full", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := answerable(tc.err)
			require.ErrorContains(t, got, tc.want)
			wire, is := errors.AsType[*jsonrpc2.Error](got)
			require.Equal(t, tc.code != 0 || tc.data != "", is)
			if is {
				require.Equal(t, cmp.Or(tc.code, -32803), wire.Code)
				require.Equal(t, tc.data, string(wire.Data))
			}
		})
	}
	require.NoError(t, answerable(nil))
}
