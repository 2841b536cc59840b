//go:build !amd64 && !arm64

package sandbox

// filterCalls filters nothing on this kind of machine, whose system calls have other numbers.
func filterCalls(bool) error { return nil }

func canFilter() bool { return false }
