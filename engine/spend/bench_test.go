package spend_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/spend"
)

// BenchmarkBench_Wall is what a call costs that is reserved before and settled after it, in a run of a thousand attempts: two writes of
// the ledger, the first of which waits for the disk.
func BenchmarkBench_Wall(b *testing.B) {
	l, err := spend.Open(b.Context(), filepath.Join(b.TempDir(), "cost.db"), spend.Options{})
	require.NoError(b, err)
	defer func() { require.NoError(b, l.Close()) }()
	require.NoError(b, l.Allow(b.Context(), "r-1", spend.Limits{Tokens: 1 << 40}))
	model := &provider{answer: func(context.Context) (llm.Response, error) { return llm.Response{Usage: llm.Usage{Input: 1}}, nil }}
	wall := spend.Wall(model, account(l))
	for range 1000 {
		_, err := wall.Complete(b.Context(), request, nil)
		require.NoError(b, err)
	}
	for b.Loop() {
		_, err := wall.Complete(b.Context(), request, nil)
		require.NoError(b, err)
	}
}
