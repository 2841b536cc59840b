package sandbox

import "testing"

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
