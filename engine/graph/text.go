package graph

import "fmt"

// MarshalText returns the status by its name, so that stored data does not depend on the order of constants.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status by its name.
func (s *Status) UnmarshalText(text []byte) error {
	for known := Pending; known <= Skipped; known++ {
		if known.String() == string(text) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("%q is no status of a node", text)
}

// MarshalText returns the type by its name.
func (t EdgeType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a type by its name.
func (t *EdgeType) UnmarshalText(text []byte) error {
	for known := Normal; known <= Failure; known++ {
		if known.String() == string(text) {
			*t = known
			return nil
		}
	}
	return fmt.Errorf("%q is no type of an edge", text)
}
