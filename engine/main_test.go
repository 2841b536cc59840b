package engine

import (
	"os"
	"testing"
)

// TestMain lets the test program be the process that a test kills.
func TestMain(m *testing.M) {
	if config := os.Getenv(lifeVariable); config != "" {
		liveOnce(config)
		return
	}
	os.Exit(m.Run())
}
