package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
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

// BenchmarkLauncher is what the launcher adds to a process: as much as launched takes longer than direct, which is the same process started with
// the same attributes at once. They take turns, so that a busy machine is busy for both.
func BenchmarkLauncher(b *testing.B) {
	var direct, launched time.Duration
	for b.Loop() {
		began := time.Now()
		cmd := exec.Command("true")
		cmd.SysProcAttr = attributes()
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		direct += time.Since(began)

		began = time.Now()
		t, err := launch(exec.Cmd{Path: cmd.Path, Args: cmd.Args, Dir: "/"}, nil, boxOrder{}, namespaced(0), "")
		if err != nil {
			b.Fatal(err)
		}
		t.wait()
		t.reap()
		launched += time.Since(began)
	}
	b.ReportMetric(float64(direct.Microseconds())/1000/float64(b.N), "direct-ms")
	b.ReportMetric(float64((launched-direct).Microseconds())/1000/float64(b.N), "added-ms")
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
