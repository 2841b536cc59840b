package state

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// An error of Forge's folder says what helps, and a call that was cancelled is no such error.
func TestExplain_IsOfTheFolderOnly(t *testing.T) {
	t.Parallel()
	s := &State{}
	s.options.Dir = "/state"
	require.NoError(t, s.Explain(nil))
	require.ErrorContains(t, s.Explain(errors.New("no space left on device")), "set FORGE_HOME to a folder that can be written")
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		cancelled := fmt.Errorf("open runs.db: %w", ended)
		require.Equal(t, cancelled, s.Explain(cancelled))
	}
}
