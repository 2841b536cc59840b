//go:build !linux && !darwin

package sandbox

import "os/exec"

// policy is unknown on this system: it starts no jailed command.
type policy struct{}

func policyOf(*Jail, *exec.Cmd, []string) (*policy, error) {
	return nil, &UnconfinedError{Reason: "Forge has no sandbox for this system"}
}

func (*policy) remove() {}

func confinable() bool { return false }
