package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/txtar"
)

// The sample workspace, the task of the demo, and the answers of its scripted model.
var (
	//go:embed sample/workspace.txtar
	sampleWorkspace []byte
	//go:embed sample/script.yaml
	sampleScript []byte
)

const sampleTask = "Add a Discount method to Cart: the total less a percentage, rounded to the nearest cent. " +
	"A percentage outside of 0 to 100 is an error."

// writeSample writes the sample workspace to a folder that is missing or empty.
func writeSample(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: name a new folder", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range txtar.Parse(sampleWorkspace).Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
