package gate

import "fmt"

// MarshalText returns the verdict by its name, so that stored data does not depend on the order of constants.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict by its name.
func (v *Verdict) UnmarshalText(text []byte) error {
	for known := NotRun; known <= Error; known++ {
		if known.String() == string(text) {
			*v = known
			return nil
		}
	}
	return fmt.Errorf("%q is no verdict of a gate", text)
}
