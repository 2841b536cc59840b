//go:build !linux

package sandbox

// usage is not known on this system.
func (t *tree) usage() usage { return usage{} }

// memory is not known on this system.
func (t *tree) memory() int64 { return 0 }

// machineMemory is not known on this system.
func machineMemory() int64 { return 0 }
