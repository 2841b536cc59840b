package mode

import (
	"fmt"
	"strings"
)

// UnknownError means that no mode, recipe or profile has a name, and lists the valid ones.
type UnknownError struct {
	What  string // "mode"
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	last := len(e.Known) - 1
	return fmt.Sprintf("there is no %s %q: choose %s or %s", e.What, e.Name, strings.Join(e.Known[:last], ", "), e.Known[last])
}

// lookup finds a name in a list.
func lookup[T ~string](what, name string, none T, all []T) (T, error) {
	if name == "" {
		return none, nil
	}
	known := make([]string, len(all))
	for i, one := range all {
		if one == T(name) {
			return one, nil
		}
		known[i] = string(one)
	}
	return none, &UnknownError{What: what, Name: name, Known: known}
}
