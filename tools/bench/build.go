package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// build makes a program of the module in dir and returns its path. What is up to date costs a moment.
func build(ctx context.Context, dir, pkg, name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(".cache", "bin", name))
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, pkg)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	return path, nil
}
