package checks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoGate is a gate that no project of the folder has.
var ErrNoGate = errors.New("no such gate")

// Wanted says what of a folder is to be validated. Its zero value is all of it.
type Wanted struct {
	Gates []string // by their full names; without any all gates run
	Files []string // that must be there, relative to the folder, slash-separated
	// Dir is where in the folder is checked: the projects in it, or else those that it lies in. Empty is the whole folder.
	Dir string
}

// Chosen are the gates that are to run of those that there are, in their order. A name that there is not is ErrNoGate.
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
