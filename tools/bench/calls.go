package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// adapters are the packages that have the benchmarks Complete and FirstDelta, each with a part "forge" and a part for the
// library of the provider, or for the least that a client can do where there is none.
var adapters = []struct{ name, beside, pkg string }{
	{"openai", "its SDK", "./engine/llm/openai"},
	{"anthropic", "its SDK", "./engine/llm/anthropic"},
	{"ollama", "bare HTTP", "./engine/llm/ollama"},
}

// Limits: how much more a call of an adapter may cost than the same call of the library, and how late a piece may be.
const (
	overheadMS  = 1.0
	overheadMiB = 2.0
	firstDelta  = 5.0 // ms
)

// measureCalls measures what a call of a model costs beside the bare library, both against one server on loopback: an
// answer of about 4 kB in a stream.
func measureCalls(ctx context.Context, _ *bench) ([]row, error) {
	var rows []row
	for _, a := range adapters {
		results, err := benchmark(ctx, a.pkg)
		if err != nil {
			return rows, fmt.Errorf("calls of %s: %w", a.name, err)
		}
		call, delta := results["Complete"], results["FirstDelta"]
		rows = append(rows,
			beside(a.name+": a call; beside: "+a.beside, "ms", call.pair("ns/op", 1e6), atMostMore(overheadMS)),
			beside(a.name+": memory of a call", "MiB", call.pair("B/op", 1<<20), atMostMore(overheadMiB)),
			beside(a.name+": first piece passed on", "ms", delta.pair("ns/delta", 1e6), atMost(firstDelta)),
		)
	}
	return rows, nil
}

func beside(name, unit string, both [2]value, goals ...goal) row {
	return row{name: name, unit: unit, forge: both[0], gopls: both[1], goals: goals}
}

// atMostMore promises a difference to the figure beside, in the row's unit.
func atMostMore(limit float64) goal {
	return goal{fmt.Sprintf("≤ %g more", limit), func(r row) bool {
		return r.gopls.none == "" && r.forge.number-r.gopls.number <= limit
	}}
}

// figures are the metrics of the parts of one benchmark, by the part and the unit.
type figures map[string]map[string]float64

// pair is a metric of Forge's part and of the other one, divided by a unit.
func (f figures) pair(metric string, unit float64) (both [2]value) {
	both = [2]value{missing, missing}
	for part, metrics := range f {
		if n, measured := metrics[metric]; measured {
			i := 1
			if part == "forge" {
				i = 0
			}
			both[i] = number(n / unit)
		}
	}
	return both
}

// benchmark runs those of a package that measure calls, and gives their figures by name.
func benchmark(ctx context.Context, pkg string) (map[string]figures, error) {
	c := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark(Complete|FirstDelta)$", "-benchmem", pkg)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return parseBenchmarks(out)
}

// parseBenchmarks reads what go test -bench prints (https://go.googlesource.com/proposal/+/master/design/14313-benchmark-format.md).
func parseBenchmarks(out []byte) (map[string]figures, error) {
	all := map[string]figures{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name, part, found := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "/")
		if !found {
			continue
		}
		part, _, _ = strings.Cut(part, "-") // the number of CPUs
		metrics := map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			n, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("understand %q: %w", lines.Text(), err)
			}
			metrics[fields[i+1]] = n
		}
		if all[name] == nil {
			all[name] = figures{}
		}
		all[name][part] = metrics
	}
	return all, nil
}
