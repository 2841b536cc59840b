package sandbox

import (
	"os/exec"
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
		t, err := launch(exec.Cmd{Path: cmd.Path, Args: cmd.Args, Dir: "/"}, nil, setup{}, namespaced(setup{}, false), "")
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

// BenchmarkJail is what a jail adds to a process, next to the same process without one. They take turns.
func BenchmarkJail(b *testing.B) {
	for mode, runner := range runners() {
		b.Run(mode, func(b *testing.B) { benchmarkJail(b, runner(), "true") })
	}
}

// BenchmarkAttributes is what a jail adds to a process that changes the modes of 1,000 files.
func BenchmarkAttributes(b *testing.B) {
	for mode, runner := range runners() {
		b.Run(mode, func(b *testing.B) {
			benchmarkJail(b, runner(), "perl", "-e", "open(F, '>', 'f'); chmod(0600 + $_ % 2, 'f') for 1 .. 1000")
		})
	}
}

func benchmarkJail(b *testing.B, r Runner, argv ...string) {
	b.Helper()
	dir := b.TempDir()
	var free, jailed time.Duration
	for b.Loop() {
		for _, jail := range []*Jail{nil, {Write: []string{dir}}} {
			began := time.Now()
			if _, err := r.Run(b.Context(), Command{Argv: argv, Dir: dir, Jail: jail}); err != nil {
				b.Fatal(err)
			}
			if jail == nil {
				free += time.Since(began)
			} else {
				jailed += time.Since(began)
			}
		}
	}
	b.ReportMetric(float64(free.Microseconds())/1000/float64(b.N), "free-ms")
	b.ReportMetric(float64((jailed-free).Microseconds())/1000/float64(b.N), "added-ms")
}
