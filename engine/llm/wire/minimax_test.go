package wire

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// The numbers are those of MiniMax's documentation, as far as they can come from a chat.
func TestMinimax_MapsErrors(t *testing.T) {
	t.Parallel()
	tests := map[int]llm.Kind{
		1000: llm.KindTransient, 1001: llm.KindTransient, 1024: llm.KindTransient, 1033: llm.KindTransient,
		1002: llm.KindRateLimited, 1039: llm.KindRateLimited, 1041: llm.KindRateLimited, 2045: llm.KindRateLimited, 2056: llm.KindRateLimited,
		1004: llm.KindAuth, 2049: llm.KindAuth, 1008: llm.KindAuth,
		1026: llm.KindRefused, 1027: llm.KindRefused,
		1042: llm.KindInvalid, 2013: llm.KindInvalid, 4711: llm.KindInvalid,
	}
	for code, kind := range tests {
		for _, message := range []string{"the reason", ""} {
			body := fmt.Sprintf(`{"id":"x","choices":null,"base_resp":{"status_code":%d,"status_msg":%q}}`, code, message)
			require.True(t, holdsError([]byte(body)))
			for _, inStream := range []bool{false, true} {
				failed, is := New(Options{BaseURL: "http://h"}, Dialect{}).stray([]byte(body), inStream).(*llm.Error) //nolint:errorlint // nothing wraps it
				require.True(t, is)
				require.Equal(t, kind, failed.Kind, "%d", code)
				if message != "" {
					require.ErrorContains(t, failed, message)
				} else {
					require.ErrorContains(t, failed, fmt.Sprint(code))
				}
			}
		}
	}
}

func TestMinimax_SuccessStatusIsNoError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"choices":[],"base_resp":{"status_code":0,"status_msg":""}}`, `{"base_resp":null}`, `{"base_resp":{}}`, `{"text":"base_resp"}`,
	} {
		require.False(t, holdsError([]byte(body)), body)
	}
}
