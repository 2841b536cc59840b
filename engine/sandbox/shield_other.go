//go:build !linux

package sandbox

// Shield does nothing on this system.
func Shield() error { return nil }
