package cli

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lines of which most scripts are made. The work is to add two numbers.
const (
	decideExecutor = `
- {match: {node: orchestrator}, reply: {json: {action: executor, reason: small}}}`
	decideSpec = `
- {match: {node: orchestrator}, reply: {json: {action: generate_spec, reason: new behaviour}}}`
	writeSpec = `
- {match: {node: spec}, reply: {json: {title: Add adds, spec: Add returns the sum., questions: []}}}`
	writeTests = `
- match: {node: executor, contains: [You write tests]}
  reply:
    json:
      explanation: Two and two.
      files:
        - path: add_test.go
          action: create
          content: |
            package sum

            import "testing"

            func TestAdd(t *testing.T) {
            	if got := Add(2, 2); got != 4 {
            		t.Fatalf("Add(2, 2) = %d", got)
            	}
            }
      patch: ""
      blocked: ""`
	writeRight = `
- match: {node: executor, contains: [You implement a change]}
  reply: {json: {explanation: It adds., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"}], patch: "", blocked: ""}}`
	reviewPass = `
- {match: {node: review}, reply: {json: {pass: true, reason: It adds., issues: []}}}`
)

// writeWrong is an implementation that the tests do not accept, twice.
const writeWrong = `
- match: {node: executor, contains: [You implement a change]}
  times: 2
  reply: {json: {explanation: It multiplies., files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a*b + 1 }\n"}], patch: "", blocked: ""}}`

// whole is the script of a run that succeeds.
const whole = decideExecutor + writeTests + writeRight + reviewPass

// sumModule is the folder in which the scripts work: a module whose one package has no tests at all.
func sumModule() map[string]string {
	return map[string]string{"go.mod": "module example.com/sum\n\ngo 1.24\n", "sum.go": "// Package sum adds up.\npackage sum\n"}
}

// scripted is a world whose model plays the entries and whose folder has the files.
func scripted(t *testing.T, entries string, files map[string]string) *world {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.yaml")
	require.NoError(t, os.WriteFile(script, []byte("entries:"+entries+"\n"), 0o600))
	w := newWorld(t, script)
	w.put(files)
	return w
}

// journal is what the model says of its requests, a line each, as it comes.
type journal struct {
	mu   sync.Mutex // guards text
	text strings.Builder
	more *sync.Cond
}

func newJournal() *journal {
	j := &journal{}
	j.more = sync.NewCond(&j.mu)
	return j
}

// Write implements io.Writer.
func (j *journal) Write(data []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.more.Broadcast()
	return j.text.Write(data)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// waitFor blocks until the model was asked something with part in its line.
func (j *journal) waitFor(part string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for !strings.Contains(j.text.String(), part) {
		j.more.Wait()
	}
}

// requests counts the requests of a node.
func (j *journal) requests(node string) int {
	return strings.Count(j.String(), `node "`+node+`"`)
}
