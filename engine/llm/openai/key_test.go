package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/wire"
)

// A call that is made again says so to the provider, with the header that OpenAI's own clients send.
func TestKey_TheKeyOfACallIsSent(t *testing.T) {
	t.Parallel()
	for key, want := range map[string][]string{"run-1/review": {"run-1/review"}, "": nil} {
		r := ask("review")
		r.Key = key
		got := capture(t, wire.Options{Model: "m"}, r)
		require.Equal(t, want, got.header.Values("Idempotency-Key"))
	}
}
