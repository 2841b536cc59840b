package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api/service"
)

func TestAgo_RoundsDown(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"just now": 59 * time.Second, "1 minute ago": time.Minute, "12 minutes ago": 12*time.Minute + 59*time.Second,
		"1 hour ago": time.Hour, "23 hours ago": 24*time.Hour - 1, "1 day ago": 24 * time.Hour, "90 days ago": 90 * 24 * time.Hour,
	} {
		require.Equal(t, want, service.Ago(d))
	}
	require.Equal(t, "just now", service.Ago(-time.Hour), "a clock that was set back")
}
