package tool

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// A gate that was stopped is advised of a limit that can be set, if there is a longer one.
func TestMoreTime_IsALimitThatCanBeSet(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]string{
		time.Second: "3s", 30 * time.Second: "1m30s", 5 * time.Minute: "15m", 10 * time.Minute: "30m", 20 * time.Minute: "1h", 40 * time.Minute: "1h",
	} {
		require.Equal(t, "timeouts: {go test: "+want+"} in your settings gives it more time", moreTime(gate.Report{Gate: "go test"}, limit))
	}
	require.Empty(t, moreTime(gate.Report{Gate: "go test"}, time.Hour))
	require.Equal(t, "it needs the network; timeouts: {g: 3s} in your settings gives it more time", moreTime(gate.Report{Gate: "g", Advice: "it needs the network"}, time.Second))
}
