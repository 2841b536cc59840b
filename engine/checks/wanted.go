package checks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoGate means that no project of the folder has the gate.
var ErrNoGate = errors.New("no such gate")

// Wanted is the part of a folder to validate. Its zero value is all of it.
type Wanted struct {
	Gates []string // by their full names; if empty, all gates run
	Files []string // that must exist, relative to the folder, slash-separated
	// Dir is the part of the folder to check: the projects in it, or those that contain it. Empty means the whole folder.
	Dir string
}

// Chosen returns the wanted gates among those that exist, in their order. An unknown name is ErrNoGate.
func (w Wanted) Chosen(gates []string) ([]string, error) {
	if len(w.Gates) == 0 {
		return gates, nil
	}
	for _, name := range w.Gates {
		if !slices.Contains(gates, name) {
			return nil, fmt.Errorf("%w as %q: %s", ErrNoGate, name, thereAre(gates))
		}
	}
	return slices.DeleteFunc(slices.Clone(gates), func(name string) bool { return !slices.Contains(w.Gates, name) }), nil
}

func thereAre(gates []string) string {
	if len(gates) == 0 {
		return "nothing in the folder can be checked"
	}
	return "there are " + strings.Join(gates, ", ")
}
