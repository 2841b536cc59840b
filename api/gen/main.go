// Command gen writes what is generated from the declarations of commands: their documentation and the
// TypeScript types of the extension. It takes the repository's root, by default the working directory.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"forge/api"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	for path, text := range api.Generated() {
		if err := write(filepath.Join(root, filepath.FromSlash(path)), text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("generate: %w", err)
	}
	return nil
}
