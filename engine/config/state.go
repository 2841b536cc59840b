package config

import (
	"errors"
	"path/filepath"
)

// StateDir is the folder in which Forge keeps its own state: FORGE_HOME if it is set, else
// $XDG_STATE_HOME/forge, else .forge in the home directory. It does not create it.
func StateDir(env Environ) (string, error) {
	if home := env("FORGE_HOME"); home != "" {
		return filepath.Abs(home)
	}
	if state := env("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "forge"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".forge"), nil
	}
	if home := env("USERPROFILE"); filepath.IsAbs(home) { // Windows
		return filepath.Join(home, ".forge"), nil
	}
	return "", errors.New("there is no place for Forge's state: set FORGE_HOME to a folder, or HOME")
}
