//go:build !linux

package cli

// makeAttempts makes none on this system.
func makeAttempts(string) int { return 2 }
