//go:build unix

package index_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel/index"
)

// goSource is Go's own source tree, as the issue of this package's goals names it: every file of it.
func goSource() string { return filepath.Join(runtime.GOROOT(), "src") } //nolint:staticcheck // of the toolchain that runs this

// peak returns the largest resident memory of this process since resetPeak, in MiB; 0 if Linux does not report it.
func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	return 0
}

func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// processor returns the time that processors have spent on this process.
func processor() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// start opens an index and measures when it is ready and complete.
func start(b *testing.B, root, state string) *index.Index {
	b.Helper()
	resetPeak()
	begin, used := time.Now(), processor()
	x, err := index.Open(b.Context(), index.Options{Root: root, Dir: state, Source: walk(root), Outliner: goOutliner{}})
	require.NoError(b, err)
	require.NoError(b, x.Ready(b.Context()))
	ready, readyUsed := time.Since(begin), processor()-used
	b.ReportMetric(peak(), "ready-peak-MiB")

	require.NoError(b, x.Wait(b.Context()))
	b.ReportMetric(milliseconds(ready), "ready-ms")
	b.ReportMetric(milliseconds(time.Since(begin)), "complete-ms")
	b.ReportMetric(milliseconds(readyUsed), "ready-cpu-ms")
	b.ReportMetric(milliseconds(processor()-used), "complete-cpu-ms")
	b.ReportMetric(peak(), "peak-MiB")
	b.ReportMetric(float64(len(x.View().Documents())), "files")
	require.Empty(b, x.Status().Notes)
	return x
}

func BenchmarkCold(b *testing.B) {
	for b.Loop() {
		require.NoError(b, start(b, goSource(), b.TempDir()).Close())
	}
}

func BenchmarkWarm(b *testing.B) {
	state := b.TempDir()
	require.NoError(b, start(b, goSource(), state).Close())
	for b.Loop() {
		require.NoError(b, start(b, goSource(), state).Close())
	}
}

// BenchmarkCover measures how long it takes until an unsaved change of one file among all of Go's is in the view.
func BenchmarkCover(b *testing.B) {
	x := start(b, goSource(), "")
	defer x.Close()
	const name = "net/http/server.go"
	content, err := x.View().ReadFile(name)
	require.NoError(b, err)
	var all []time.Duration
	for i := 0; b.Loop(); i++ {
		text := fmt.Sprintf("%s\nfunc changed%d() {}\n", content, i)
		begin := time.Now()
		x.Cover(name, text)
		require.NoError(b, x.Ready(context.Background()))
		all = append(all, time.Since(begin))
	}
	slices.Sort(all)
	b.ReportMetric(milliseconds(all[len(all)*95/100]), "p95-ms")
}

func BenchmarkPostings(b *testing.B) {
	x := start(b, goSource(), "")
	defer x.Close()
	for _, word := range []string{"func", "server", "handl", "tlsconfig", "nowherefound"} {
		b.Run(word, func(b *testing.B) {
			for b.Loop() {
				x.View().Postings(word)
			}
		})
	}
}

// BenchmarkHundredThousand indexes 100,000 small files, and then an unsaved change of one.
func BenchmarkHundredThousand(b *testing.B) {
	root, state := b.TempDir(), b.TempDir()
	for i := range 100_000 {
		write(b, root, fmt.Sprintf("d%d/e%d/f%d.go", i%40, i%1000, i), fmt.Sprintf("package e\n\nfunc Of%d() { shared%d() }\n", i, i%100))
	}
	for b.Loop() {
		x := start(b, root, state)
		begin := time.Now()
		x.Cover("d0/e0/f0.go", "package changed\n")
		require.NoError(b, x.Ready(b.Context()))
		b.ReportMetric(milliseconds(time.Since(begin)), "cover-ms")
		require.NoError(b, x.Close())
	}
}
