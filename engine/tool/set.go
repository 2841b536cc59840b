package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/mode"
	"forge/engine/permission"
)

// Set is tools that are offered together. It is never changed.
type Set []Tool

// Providers are what may be asked before the work: they change nothing, and none waits for the user. Tests get less time than in Tools.
func Providers() Set { return tables().providers }

// Tools are what a model may do while it works, a turn at a time.
func Tools() Set { return tables().tools }

// All are those of both sets, each once.
func All() Set { return tables().all }

// Named finds a tool.
func (s Set) Named(name string) (Tool, bool) {
	at := slices.IndexFunc(s, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return Tool{}, false
	}
	return s[at], true
}

// Names are the names of the tools, in order.
func (s Set) Names() []string {
	names := make([]string, len(s))
	for i, t := range s {
		names[i] = t.Name
	}
	return names
}

// Looking returns the read-only tools of a set, without those that another one includes.
func (s Set) Looking() (all Set) {
	for _, t := range s {
		if slices.Contains([]string{"read_file", "search_code", "symbol_list", "import_graph", "discover_context"}, t.Name) {
			all = append(all, t)
		}
	}
	return all
}

// Unknown is the answer to a request for a tool that is not in the set.
func (s Set) Unknown(name string) Result {
	return failed("there is no %q here. There are: %s", name, strings.Join(s.Names(), ", "))
}

// Describe lists the tools for a model, a line each, with the arguments that they take.
func (s Set) Describe() string {
	var b strings.Builder
	for _, t := range s {
		fmt.Fprintf(&b, "- %s(%s): %s\n", t.Name, t.arguments(), t.Doc)
	}
	return strings.TrimRight(b.String(), "\n")
}

// Key is the same for calls of a tool that ask for the same: arguments that are left out, empty or null are no arguments, and
// the order of the others means nothing. What is no object is a key of its own.
func Key(name string, args json.RawMessage) string {
	var given map[string]any
	if err := json.Unmarshal(args, &given); err != nil {
		return name + " " + string(args)
	}
	for field, value := range given {
		list, isList := value.([]any)
		if value == nil || value == "" || value == 0.0 || value == false || isList && len(list) == 0 {
			delete(given, field)
		}
	}
	text, _ := json.Marshal(given) // of what was just read; fields are sorted
	return name + " " + string(text)
}

// exploring is how long the tests may take that are run before the work.
const exploring = 30 * time.Second

type sets struct{ providers, tools, all Set }

var tables = sync.OnceValue(func() (s sets) {
	s.tools = tools()
	s.all = slices.Clone(s.tools)
	for _, p := range providers() {
		if known, shared := s.tools.Named(p.Name); shared {
			known.Timeout = cmp.Or(p.Timeout, known.Timeout)
			p = known
		} else {
			s.all = append(s.all, p)
		}
		s.providers = append(s.providers, p)
	}
	return s
})

// providers are the tools of exploration, in the order of Describe. Those that are among the tools, too, have only their name here, and what differs.
func providers() Set {
	return Set{
		{Name: "read_file"},
		define(Tool{Name: "search_code", Risk: mode.Low, Effect: permission.Read, Timeout: 30 * time.Second, Doc: "Searches all files for lines that match a regular expression (RE2 syntax), or a plain text if literal is true; at most 100 lines."}, searchCode),
		define(Tool{Name: "symbol_list", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Lists the declarations of a file: functions, types and constants, with signatures and line numbers."}, symbolList),
		define(Tool{Name: "import_graph", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Lists the files that a file imports and the files that import it, up to depth levels."}, importGraph),
		{Name: "run_tests", Timeout: exploring},
		define(Tool{Name: "lint_check", Risk: mode.Low, Effect: permission.Exec, Timeout: 60 * time.Second, Litters: true, Doc: "Runs formatters, linters and compilers on all files, or on paths."}, lintCheck),
		define(Tool{Name: "git_log", Risk: mode.Low, Effect: permission.Read, Timeout: 30 * time.Second, Doc: "Lists the newest commits: id, date, subject, files; limit defaults to 10."}, gitLog),
		{Name: "git_diff"},
		define(Tool{Name: "repo_map", Risk: mode.Low, Effect: permission.Read, Timeout: 30 * time.Second, Doc: "Shows a map of the folder: files with their signatures, most relevant to the query first."}, repoMap),
		define(Tool{Name: "discover_context", Risk: mode.Low, Effect: permission.Read, Timeout: 30 * time.Second, Doc: "Finds files relevant to a query in plain words, and the files around paths: what they import and what imports them."}, discoverContext),
		define(Tool{Name: "past_runs", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Lists the newest runs in this folder and their results; limit defaults to 5."}, pastRuns),
		define(Tool{Name: "playbooks", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Lists playbooks (how things are done in this project) by tags; limit defaults to 5."}, playbooks),
	}
}

// tools are those of the turns of work, in the order of Describe.
func tools() Set {
	return Set{
		define(Tool{Name: "read_file", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Reads a file, or its lines start to end. Long output is cut and names the line to continue from."}, readFile),
		define(Tool{Name: "write_file", Risk: mode.Medium, Effect: permission.Write, Timeout: 15 * time.Second, Doc: "Creates a file or replaces its whole content."}, writeFile),
		define(Tool{Name: "edit_file", Risk: mode.Medium, Effect: permission.Write, Timeout: 15 * time.Second, Doc: "Replaces a text that occurs exactly once in a file."}, editFile),
		define(Tool{Name: "delete_file", Risk: mode.High, Effect: permission.Write, Timeout: 10 * time.Second, Doc: "Deletes a file."}, deleteFile),
		define(Tool{Name: moveTool, Risk: mode.Medium, Effect: permission.Write, Timeout: 10 * time.Second, Doc: "Moves or renames a file."}, moveFile),
		define(Tool{Name: "list_dir", Risk: mode.Low, Effect: permission.Read, Timeout: 10 * time.Second, Doc: "Lists a folder; the root folder if path is left out."}, listDir),
		define(Tool{Name: "glob", Risk: mode.Low, Effect: permission.Read, Timeout: 20 * time.Second, Doc: "Lists the paths that match a pattern, such as src/**/*.ts."}, glob),
		define(Tool{Name: "grep", Risk: mode.Low, Effect: permission.Read, Timeout: 30 * time.Second, Doc: "Searches for lines that match a regular expression (RE2 syntax) below path; at most 100 lines."}, grep),
		define(Tool{Name: "apply_patch", Risk: mode.Medium, Effect: permission.Write, Timeout: 20 * time.Second, Doc: "Applies a V4A patch: all of it, or nothing."}, applyPatch),
		define(Tool{Name: renameTool, Risk: mode.Medium, Effect: permission.Write, Timeout: 180 * time.Second, Litters: true, Sweeps: true, Doc: "Renames a symbol in the whole folder, with the language server if one is installed. path and line identify the symbol if its name is ambiguous; everywhere also renames whole words in strings, comments and documents."}, renameSymbol),
		define(Tool{Name: replaceTool, Risk: mode.Medium, Effect: permission.Write, Timeout: 60 * time.Second, Sweeps: true, Doc: "Replaces text in the whole folder, or in files whose paths match: plain text unless regexp is true; whole words if word is true; fooBar, FooBar, foo_bar and FOO_BAR together if variants is true."}, replaceAll),
		define(Tool{Name: Command, Risk: mode.High, Effect: permission.Exec, Timeout: 120 * time.Second, Litters: true, Doc: "Runs a program in the root folder, without a shell."}, runCommand),
		define(Tool{Name: "run_tests", Risk: mode.Low, Effect: permission.Exec, Timeout: 600 * time.Second, Litters: true, Doc: "Runs the tests of the folder's projects."}, runTests),
		define(Tool{Name: "git_status", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Lists files that differ from the checked-out commit."}, gitStatus),
		define(Tool{Name: "git_diff", Risk: mode.Low, Effect: permission.Read, Timeout: 20 * time.Second, Doc: "Shows the diff against the checked-out commit (base head), or against the state in which this run began (base base)."}, gitDiff),
		define(Tool{Name: "git_branch", Risk: mode.Low, Effect: permission.Read, Timeout: 15 * time.Second, Doc: "Shows the checked-out branch; it cannot create or change branches."}, gitBranch),
		define(Tool{Name: "ask_user", Risk: mode.Low, Effect: permission.None, Timeout: 600 * time.Second, AnsweredByUser: true, Doc: "Asks the user something that cannot be found out otherwise; give two to four choices if possible."}, askUser),
		define(Tool{Name: searchTool, Risk: mode.Low, Effect: permission.Network, Timeout: 20 * time.Second, Doc: "Searches the web."}, webSearch),
		define(Tool{Name: "web.fetch", Risk: mode.Medium, Effect: permission.Network, Timeout: 20 * time.Second, Doc: "Reads the text of a web page, from line start on."}, webFetch),
		define(Tool{Name: "web.browse", Risk: mode.High, Effect: permission.Network, Timeout: 120 * time.Second, Doc: "Reads the beginning of a web page and of pages on the same host that it links to; at most 5, those first whose link text matches the query."}, webBrowse),
	}
}
