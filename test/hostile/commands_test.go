package hostile

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// lines are the commands that are tried, but for dev, demo and help, which have no folder of the user's, and trust, which is what is absent.
const lines = `
run fix the failing test
run --yes --non-interactive --json fix the failing test
run --yes --allow-files --allow-shell --allow-network fix the failing test
run --base head fix the failing test
run --continue fix the failing test
ask what is this
ask --continue what is this
review
review --json
review --final --base HEAD~1
plan fix the failing test
plan validate plan.json
plan schema
run --yes --non-interactive --plan-file plan.json
apply -
rename a b
replace a b
resume
undo --yes
redo --yes
spec
spec fees are rounded
spec diff 1 2
spec rollback 1
kill r-4f1c0a72
audit
audit verify
checkpoints
events r-4f1c0a72
graph show
iterations
log
runs
runs show
runs show r-4f1c0a72 --call 1
runs show --report
commit-message
conversations
conversations r-4f1c0a72
worktrees
worktrees prune
files list --all
files search trap
files status
files read a.go
files read --diff a.go
sessions
task
task list
task search fix
task show task_0123456789ab
task resume task_0123456789ab
task fork task_0123456789ab
task cancel task_0123456789ab
task delete task_0123456789ab
map
map the trap
search the trap
symbols a
symbols a.go
validate
validate --json
classify fix the failing test
explore read_file a.go
explore search_code trap
explore symbol_list
explore import_graph a.go
explore run_tests
explore lint_check
explore git_log
explore git_diff
explore repo_map
explore discover_context
explore past_runs
explore playbooks
prompt --dry-run fix the failing test
skills
skills code
skills new trap --project
skills install http://host.invalid/SKILL.md
agents list
agents show worker
agents runs
batch
batch list
batch poll
cache
cache clear
cost
mcp
mcp list
mcp status
mcp add trap -- true
mcp accept trap x
mcp remove trap
mcp header trap X-Key
mcp login trap
models
setup nobody --stdin
gc
memory
memory list
memory get a
memory set a b
memory search a
memory why entry-1
memory forget a
memory export
memory import -
memory decay
memory prune --dry-run
memory index
memory clear-learning
playbooks
playbooks show playbook-1
extract --dry-run
history last week
permissions list
permissions reset
project
projects
untrust
trust list
doctor --dir .
completion bash
lsp
acp
`

// commands are the arguments of each.
func commands() [][]string {
	var all [][]string
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

// input is what a command reads: for the language server a session that asks for each command of an editor.
func (f *folder) input(args []string) string {
	making := strings.HasPrefix(strings.Join(args, " "), "skills new ") // it opens the folder in which it makes the file
	f.shows, f.diagnoses = showing[args[0]] || making, args[0] == "doctor"
	f.connects = args[0] == "models" || f.diagnoses // they look for servers of models on this machine
	switch args[0] {
	case "lsp":
	case "acp":
		return f.conversation()
	default:
		return ""
	}
	var all strings.Builder
	id := 0
	send := func(method string, request bool, params any) {
		message := map[string]any{"jsonrpc": "2.0", "method": method}
		if params != nil {
			message["params"] = params
		}
		if id++; request {
			message["id"] = id
		}
		text, err := json.Marshal(message)
		require.NoError(f.t, err)
		fmt.Fprintf(&all, "Content-Length: %d\r\n\r\n%s", len(text), text)
	}
	uri := "file://" + f.root
	send("initialize", true, map[string]any{
		"processId": nil, "rootUri": uri, "capabilities": map[string]any{},
		"workspaceFolders": []any{map[string]any{"uri": uri, "name": "pay"}},
	})
	send("initialized", false, map[string]any{})
	send("textDocument/didOpen", false, map[string]any{"textDocument": map[string]any{"uri": uri + "/open.go", "languageId": "go", "version": 1, "text": "package x\n"}})
	for _, command := range api.Table() {
		if slices.Contains([]string{"forge.models", "forge.status", "forge.doctor"}, command.Name) { // they name models of servers on this machine
			continue
		}
		send("workspace/executeCommand", true, map[string]any{"command": command.Name, "arguments": []any{map[string]any{
			"prompt": "fix the failing test", "query": "trap", "runId": "r-4f1c0a72", "path": "a.go", "uri": uri + "/a.go", "from": "a", "to": "b", "name": "a",
		}}})
	}
	send("shutdown", true, nil)
	send("exit", false, nil)
	return all.String()
}

// conversation is what a client of the Agent Client Protocol sends: a session in the folder.
func (f *folder) conversation() string {
	var all strings.Builder
	for id, message := range []map[string]any{
		{"method": "initialize", "params": map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{}}},
		{"method": "session/new", "params": map[string]any{"cwd": f.root, "mcpServers": []any{}}},
	} {
		message["jsonrpc"], message["id"] = "2.0", id
		text, err := json.Marshal(message)
		require.NoError(f.t, err)
		all.Write(append(text, '\n'))
	}
	return all.String()
}

// Each command that help lists is tried, so that a new one is not forgotten.
func TestCommands_AreAllTried(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), forge, "help").Output()
	require.NoError(t, err)
	tried := []string{"dev", "demo", "help", "trust"}
	for _, args := range commands() {
		tried = append(tried, args[0], strings.Join(args[:min(2, len(args))], " "))
	}
	listed := regexp.MustCompile(`(?m)^  ([a-z-]+)  +[A-Z]`)
	names := listed.FindAllStringSubmatch(string(out), -1)
	require.Greater(t, len(names), 30)
	for _, name := range names {
		require.True(t, slices.Contains(tried, name[1]), name[1])
		help, err := exec.CommandContext(t.Context(), forge, name[1], "--help").Output()
		require.NoError(t, err)
		_, below, has := strings.Cut(string(help), "Available Commands:\n")
		below, _, _ = strings.Cut(below, "\n\n")
		if slices.Contains([]string{"dev", "completion"}, name[1]) || !has {
			continue
		}
		for _, sub := range listed.FindAllStringSubmatch(below, -1) {
			require.True(t, slices.Contains(tried, name[1]+" "+sub[1]), name[1]+" "+sub[1])
		}
	}
}
