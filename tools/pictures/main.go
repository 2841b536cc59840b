// Pictures draws docs/images/NAME.png of real editors: each works on a sample folder with Forge and a scripted model, in a terminal of tmux whose
// cells a headless Chromium draws.
//
//	go -C tools run ./pictures [NAME...]
//
// It needs tmux, Chromium and the editors of scripts/install.sh. Without a name it draws all whose editor is installed.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := draw(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		stop()
		os.Exit(1)
	}
}

// draw draws the pictures with these names, or all.
func draw(ctx context.Context, names []string) error {
	root, err := filepath.Abs("..") // go -C tools runs it there
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(scenes, func(s scene) bool { return s.name == name }) {
			return fmt.Errorf("there is no picture %s", name)
		}
	}
	work := filepath.Join(os.TempDir(), "forge-pictures") // its name is in the pictures
	if err := os.Mkdir(work, 0o700); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	forge := filepath.Join(work, "bin", "forge")
	if err := run(ctx, root, "go", "build", "-o", forge, "./cmd/forge"); err != nil {
		return err
	}
	for _, s := range scenes {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, s.needs)); err != nil && len(names) == 0 {
			fmt.Fprintf(os.Stdout, "%s: left out: %s is not installed\n", s.name, s.needs)
			continue
		}
		if err := s.draw(ctx, root, filepath.Join(work, s.name), forge); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// run runs a command in a folder and returns what it printed as an error, if it fails.
func run(ctx context.Context, folder, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}
