package keep

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSize_HasOneDecimal(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]int64{
		"0 B": 0, "999 B": 999, "1.0 kB": 1000, "1.2 MB": 1_234_567, "2.1 GB": 2 << 30, "9.2 EB": 1<<63 - 1,
	} {
		require.Equal(t, want, size(n))
	}
}
