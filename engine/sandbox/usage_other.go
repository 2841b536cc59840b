//go:build !linux

package sandbox

// usage is unknown on this system.
func (t *tree) usage() usage { return usage{} }

// memory is unknown on this system.
func (t *tree) memory() int64 { return 0 }

// machineMemory is unknown on this system.
func machineMemory() int64 { return 0 }

// Shield does nothing on this system.
func Shield() error { return nil }
