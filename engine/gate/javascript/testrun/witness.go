package testrun

import (
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

//go:embed witness.cjs
var witnessScript []byte

// Executed is Node.js' own record of a suite with unreadable output.
type Executed struct {
	// tests are the test files that were executed, in processes that no code of the project ended.
	tests []string
	// ended is the place of other code that ended a process with tests; empty if there is none.
	ended Place
}

// maxCoverage limits the coverage read of one process, in bytes, and maxProcesses the number of processes.
const (
	maxCoverage  = 256 << 20
	maxProcesses = 2000
)

// Witnessed returns an environment in which each Node.js records what ends it and, if files is set, what it executed.
// https://nodejs.org/api/cli.html#node_v8_coveragedir
func (s Seal) Witnessed(env []string, files bool) []string {
	options := "--require=" + s.witness()
	env = slices.Clone(env)
	for i, e := range env {
		if own, is := strings.CutPrefix(e, "NODE_OPTIONS="); is {
			env[i], options = "NODE_OPTIONS="+options+" "+own, ""
		}
	}
	if options != "" {
		env = append(env, "NODE_OPTIONS="+options)
	}
	env = append(env, "FORGE_WITNESS="+s.coverage(), "npm_config_update_notifier=false", "npm_config_fund=false", "npm_config_loglevel=error")
	if files {
		env = append(env, "NODE_V8_COVERAGE="+s.coverage())
	}
	return env
}

func (s Seal) witness() string  { return filepath.Join(s.dir, "witness.cjs") }
func (s Seal) coverage() string { return filepath.Join(s.dir, "executed") }

var coverageName = lazyregexp.New(`^coverage-(\d+)-.*\.json$`)

// Seen reads the records of processes.
func (s Seal) Seen(sources *tool.Sources, r tool.Root) (all Executed) {
	entries, err := os.ReadDir(s.coverage())
	if err != nil {
		return all
	}
	for _, entry := range entries[:min(len(entries), maxProcesses)] {
		m := coverageName.FindStringSubmatch(entry.Name())
		if m == nil {
			continue
		}
		tests := executedTests(filepath.Join(s.coverage(), entry.Name()), sources, r)
		if len(tests) == 0 {
			continue
		}
		if where, _, ended := s.endedBy(m[1], r); ended {
			all.ended = where
			continue
		}
		all.tests = append(all.tests, tests...)
	}
	slices.Sort(all.tests)
	all.tests = slices.Compact(all.tests)
	return all
}

// endedBy returns the code outside of tests that ended a process.
func (s Seal) endedBy(pid string, r tool.Root) (where Place, program string, is bool) {
	text, err := os.ReadFile(filepath.Join(s.coverage(), "exit-"+pid))
	if err != nil {
		return Place{}, "", false
	}
	program, stack, _ := strings.Cut(string(text), "\n")
	where, ok := FrameOf(stack, r)
	return where, program, ok && !IsTest(where.Path)
}

// cutShort returns the place of code outside of tests that ended a runner with its own report. A program of the project that a test
// starts may end itself.
func (s Seal) cutShort(r tool.Root) (where Place, is bool) {
	entries, err := os.ReadDir(s.coverage())
	if err != nil {
		return Place{}, false
	}
	for _, entry := range entries {
		pid, named := strings.CutPrefix(entry.Name(), "exit-")
		if where, program, is := s.endedBy(pid, r); named && is && strings.Contains(filepath.ToSlash(program), "node_modules/") {
			return where, true
		}
	}
	return Place{}, false
}

// DoubtCut marks tests as unfinished if code outside of tests ended their runner.
func (s Seal) DoubtCut(said *Results, _ string, r tool.Root) {
	if where, is := s.cutShort(r); is {
		said.doubt(func(outcome) bool { return false })
		said.Beside = append(said.Beside, where.Finding(RuleTest, endedByCode))
	}
}

const endedByCode = "code outside of tests ended the tests, such as by process.exit: which of them pass is unknown"

// coverageReport is the coverage that Node.js writes.
// https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-ScriptCoverage
type coverageReport struct {
	Result []struct {
		URL       string `json:"url"`
		Functions []struct {
			Ranges []struct {
				Count int `json:"count"`
			} `json:"ranges"`
		} `json:"functions"`
	} `json:"result"`
}

// executedTests returns the test files that a process executed; in a file with functions, at least one function must have run.
func executedTests(name string, sources *tool.Sources, r tool.Root) (tests []string) {
	info, err := os.Stat(name)
	if err != nil || info.Size() > maxCoverage {
		return nil
	}
	text, err := os.ReadFile(name)
	var report coverageReport
	if err != nil || json.Unmarshal(text, &report) != nil {
		return nil
	}
	for _, script := range report.Result {
		file, ok := Local(script.URL, r)
		if !ok || !strings.HasPrefix(script.URL, "file://") || !HoldsTests(sources, file) {
			continue
		}
		called := 0
		for i, f := range script.Functions {
			if len(f.Ranges) > 0 && f.Ranges[0].Count > 0 && (i > 0 || len(script.Functions) == 1) {
				called++
			}
		}
		if called > 0 {
			tests = append(tests, file)
		}
	}
	return tests
}
