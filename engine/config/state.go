package config

import (
	"errors"
	"path/filepath"
)

// StateDir returns the folder of Forge's own state: FORGE_HOME if set, otherwise
// $XDG_STATE_HOME/forge, otherwise .forge in the home directory. It does not create it.
func StateDir(env Environ) (string, error) {
	return own(env, "XDG_STATE_HOME")
}

// UserFile returns the user's own settings file: config.yaml in FORGE_HOME if set, otherwise in
// $XDG_CONFIG_HOME/forge, otherwise in .forge in the home directory.
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
