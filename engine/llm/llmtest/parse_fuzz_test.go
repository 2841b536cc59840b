package llmtest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// FuzzParse_Any checks that a script that is accepted can be asked, and that every request is accounted for.
func FuzzParse_Any(f *testing.F) {
	f.Add([]byte(script))
	f.Add([]byte("entries:\n- fault: {kind: cut, afterBytes: 99}\n  reply: {json: [1]}\n"))
	f.Add([]byte("entries:\n- fault: {status: 429, retryAfter: '-1'}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := llmtest.Parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		ctx, cancel := cancelled(t)
		defer cancel()
		_, err = s.Model().Complete(ctx, llm.Request{}, nil)
		require.Error(t, err)
		require.NotEmpty(t, s.Unused(), "a cancelled request uses nothing up")
	})
}

func cancelled(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}
