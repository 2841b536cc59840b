//go:build !amd64 && !arm64

package kernel

import "os"

// Rules are what a filter does.
type Rules struct{ NoSockets, Attributes bool }

// Apply filters nothing on this kind of machine, whose system calls have other numbers.
func Apply(Rules) (listener int, err error) { return -1, nil }

// CanFilter returns false.
func CanFilter() bool { return false }

// Supervisor does nothing here.
type Supervisor struct{}

// Supervise is not called on this kind of machine.
func Supervise(*os.File, []string) (*Supervisor, error) { return nil, nil }

// Close does nothing.
func (*Supervisor) Close() {}
