package llm_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

// The user reads it: no kind, and no host twice.
func TestError_AFailureNamesItsHostOnce(t *testing.T) {
	t.Parallel()
	for want, failed := range map[string]*llm.Error{
		"model m: h:80 does not accept the key": {Kind: llm.KindAuth, Model: "m at h:80", Err: errors.New("h:80 does not accept the key")},
		"model m at h:80: the model declined":   {Kind: llm.KindRefused, Model: "m at h:80", Err: errors.New("the model declined")},
		"model MiniMax-M3 by mmx: no answer":    {Kind: llm.KindTransient, Model: "MiniMax-M3 by mmx", Err: errors.New("no answer")},
		"model m at h:80: transient":            {Kind: llm.KindTransient, Model: "m at h:80"},
	} {
		require.Equal(t, want, failed.Error())
	}
}
