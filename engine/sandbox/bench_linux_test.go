package sandbox

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkRun is what one process costs, with and without a namespace.
func BenchmarkRun(b *testing.B) {
	for mode, runner := range runners() {
		b.Run(mode, func(b *testing.B) {
			r := runner()
			for b.Loop() {
				if _, err := r.Run(b.Context(), Command{Argv: []string{"true"}, Dir: "/"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGuarded is what a process costs behind the guard, with a HOME of 500 entries on the way to what is guarded, and without.
func BenchmarkGuarded(b *testing.B) {
	home := b.TempDir()
	for i := range 500 {
		if err := os.MkdirAll(filepath.Join(home, strconv.Itoa(i)), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	for name, guarded := range map[string][]string{"without": nil, "with": {filepath.Join(home, "1"), filepath.Join(home, "2")}} {
		b.Run(name, func(b *testing.B) {
			r := New(Options{Environ: os.Environ()})
			for b.Loop() {
				if _, err := r.Run(b.Context(), Command{Argv: []string{"true"}, Dir: home, Guarded: guarded}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
