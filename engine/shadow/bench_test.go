package shadow

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"forge/engine/workspace"
)

// BenchmarkSnapshot and its siblings work on 5,000 files of 2 KiB in 100 folders.
func benchmarkRepo(b *testing.B) (*Repo, workspace.Snapshot) {
	b.Helper()
	root := b.TempDir()
	text := make([]byte, 2048)
	for i := range 5000 {
		dir := filepath.Join(root, fmt.Sprintf("dir%02d", i%100))
		if err := os.MkdirAll(dir, 0o750); err != nil {
			b.Fatal(err)
		}
		copy(text, fmt.Sprintf("file %d\n", i))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), text, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	r, err := Open(b.Context(), runner(), b.TempDir(), root)
	if err != nil {
		b.Fatal(err)
	}
	return r, workspace.Snapshot{Root: root, Unsaved: map[string]workspace.Document{"dir00/f0.go": {Text: "typed"}}}
}

func BenchmarkSnapshotFirst(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		r, s := benchmarkRepo(b)
		b.StartTimer()
		if _, err := r.Snapshots.Take(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSnapshotAgain(b *testing.B) {
	r, s := benchmarkRepo(b)
	for b.Loop() {
		if _, err := r.Snapshots.Take(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckout(b *testing.B) {
	r, s := benchmarkRepo(b)
	kept, err := r.Snapshots.Take(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		tree, err := r.Trees.Checkout(b.Context(), kept)
		if err != nil {
			b.Fatal(err)
		}
		if err := tree.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
