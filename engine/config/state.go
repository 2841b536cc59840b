package config

import (
	"errors"
	"path/filepath"
)

// StateDir is the folder in which Forge keeps its own state: FORGE_HOME if it is set, else
// $XDG_STATE_HOME/forge, else .forge in the home directory. It does not create it.
func StateDir(env Environ) (string, error) {
	return own(env, "XDG_STATE_HOME")
}

// UserFile is the user's own file of settings: config.yaml in FORGE_HOME if that is set, else in
// $XDG_CONFIG_HOME/forge, else in .forge in the home directory.
func UserFile(env Environ) (string, error) {
	dir, err := own(env, "XDG_CONFIG_HOME")
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "config.yaml"), nil
}

func own(env Environ, xdg string) (string, error) {
	if home := env("FORGE_HOME"); home != "" {
		return filepath.Abs(home)
	}
	if base := env(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, "forge"), nil
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".forge"), nil
	}
	if home := env("USERPROFILE"); filepath.IsAbs(home) { // Windows
		return filepath.Join(home, ".forge"), nil
	}
	return "", errors.New("there is no place for Forge's state: set FORGE_HOME to a folder, or HOME")
}
