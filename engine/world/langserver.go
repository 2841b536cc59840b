package world

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/codeintel"
	"forge/engine/sandbox"
	"forge/engine/tool"
	"forge/internal/lazyregexp"
)

// languageServer is a program that renames by the Language Server Protocol.
type languageServer struct {
	name     string
	argv     []string
	lent     string   // its script below a folder of the project, for node; empty if no package of npm brings it
	marks    []string // the files whose folder is the server's root
	env      []string
	settings map[string]any // by section
	options  any            // initializationOptions
	loads    bool           // it reports by experimental/serverStatus when it has loaded the code
	// verdict matches its error if it understands the code and refuses the rename; nil matches none.
	verdict *lazyregexp.Regexp
}

// Settings of rust-analyzer: nothing is compiled, and no build script or procedural macro of the project is executed.
var rustSettings = map[string]any{
	"checkOnSave": false, "cachePriming": map[string]any{"enable": false}, "procMacro": map[string]any{"enable": false},
	"cargo": map[string]any{"buildScripts": map[string]any{"enable": false}, "extraEnv": map[string]string{"CARGO_NET_OFFLINE": "true"}},
}

var rustAnalyzer = languageServer{
	name: "rust-analyzer", argv: []string{"rust-analyzer"}, marks: []string{"Cargo.toml"}, loads: true,
	env:      []string{"RUSTUP_AUTO_INSTALL=0", "CARGO_NET_OFFLINE=true", "RUSTC_WRAPPER="},
	settings: map[string]any{"rust-analyzer": rustSettings}, options: rustSettings,
	verdict: lazyregexp.New(`(?i)^(?:invalid name|cannot |can't |renaming )`),
}

// pythonMarks are the files at the top of a project in Python.
var pythonMarks = []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"}

// pythonServers are the servers of Python: the best first.
var pythonServers = []languageServer{
	{name: "pyright", argv: []string{"pyright-langserver", "--stdio"}, lent: "node_modules/pyright/langserver.index.js", marks: pythonMarks},
	{name: "basedpyright", argv: []string{"basedpyright-langserver", "--stdio"}, lent: "node_modules/basedpyright/langserver.index.js", marks: pythonMarks},
	{name: "pylsp", argv: []string{"pylsp"}, marks: pythonMarks},
}

// typescript7 is the server of TypeScript 7, which has no tsserver. Only a project's own is started: tsc on PATH may be older.
var typescript7 = languageServer{
	name: "tsc", argv: []string{"tsc", "--lsp", "--stdio"}, lent: "node_modules/typescript/bin/tsc", marks: []string{"tsconfig.json", "jsconfig.json", "package.json"},
}

// anotherServer is how long servers may have taken before none that is left is tried: the tool that renames has a time limit, too.
const anotherServer = 20 * time.Second

// python renames by the first server that answers.
func python(ctx context.Context, s Servers, r tool.Renaming) (tool.Renamed, error) {
	why, began := "", time.Now()
	for _, l := range pythonServers {
		if time.Since(began) > anotherServer {
			break
		}
		done, err := l.rename(ctx, s, r)
		if err != nil || done.By != "" {
			return done, err
		}
		why = cmp.Or(why, done.Why)
	}
	return tool.Renamed{Why: cmp.Or(why, "no language server of Python is installed: npm install -g pyright")}, nil
}

// rust renames by rust-analyzer. The program of rustup with that name reports what is missing.
func rust(ctx context.Context, s Servers, r tool.Renaming) (tool.Renamed, error) {
	const missing = "rust-analyzer is not installed: rustup component add rust-analyzer"
	done, err := rustAnalyzer.rename(ctx, s, r)
	if err == nil && done.By == "" && (done.Why == "" || strings.Contains(done.Why, "Unknown binary") || strings.Contains(done.Why, "is not installed for the toolchain")) {
		done.Why = missing
	}
	return done, err
}

// rename asks the server. An empty answer means that it is not installed.
func (l languageServer) rename(ctx context.Context, s Servers, r tool.Renaming) (tool.Renamed, error) {
	argv := s.installed(r.Path, l.lent, l.argv)
	if argv == nil {
		return tool.Renamed{}, nil
	}
	root := s.above(r.Path, l.marks...)
	d := s.open(ctx, sandbox.Command{Argv: argv, Dir: root, Env: l.env, Timeout: s.limit()}, l.settings)
	defer d.close()
	done, err := l.converse(d, s, r, root)
	var failed *serverError
	switch {
	case ctx.Err() != nil:
		return tool.Renamed{}, ctx.Err()
	case errors.As(err, &failed) && l.verdict != nil && l.verdict.MatchString(failed.text):
		return tool.Renamed{By: l.name, Refused: failed.text}, nil
	case errors.As(err, &failed):
		return tool.Renamed{Why: l.name + " failed: " + s.withoutRoot(failed.text)}, nil
	case err != nil:
		return tool.Renamed{Why: s.withoutRoot(d.failure(l.name, s.limit(), err))}, nil
	}
	return done, nil
}

// serverError is what the server itself reports.
type serverError struct{ text string }

func (e *serverError) Error() string { return e.text }

// converse opens the code, and asks for the edit and for what it leaves out. The error is a *serverError, or the reason why there is no answer.
func (l languageServer) converse(d *dialogue, s Servers, r tool.Renaming, root string) (done tool.Renamed, err error) {
	ready := &readiness{wanted: l.loads}
	if _, err := d.ask("initialize", l.introduction(s, root), ready.notice); err != nil {
		return done, err
	}
	if err := d.notify("initialized", struct{}{}); err != nil {
		return done, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Texts)) {
		language := codeintel.LanguageOf(name)
		if !codeintel.SameFamily(language, r.Language) {
			continue
		}
		document := map[string]any{"uri": s.uri(name), "languageId": string(language), "version": 1, "text": r.Texts[name]}
		if err := d.notify("textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
			return done, err
		}
	}
	if err := ready.wait(d); err != nil {
		return done, err
	}
	edit, err := l.ask(d, s, r)
	if err != nil {
		return done, err
	}
	changes, refused := s.changes(r, edit)
	if refused != "" {
		return tool.Renamed{By: l.name, Refused: refused}, nil
	}
	return s.finish(l.name, r, changes, func(path string, at location) (bool, error) {
		a, err := d.ask("textDocument/definition", s.at(path, at), nil)
		given := string(a.Result)
		return a.Error == nil && given != "" && given != "null" && given != "[]", err
	})
}

// finish makes the changes of a server, after it was asked what it knows of the places that it leaves out.
func (s Servers) finish(by string, r tool.Renaming, changes map[string][]change, knows func(path string, at location) (bool, error)) (tool.Renamed, error) {
	assumed, left, err := unknownPlaces(r, changes, knows)
	if err != nil {
		return tool.Renamed{}, err
	}
	done := s.applied(by, r, changes)
	done.Assumed, done.Left = assumed, left
	return done, nil
}

// The errors of servers whose answer has to be asked for again.
const (
	contentModified = -32801
	serverCancelled = -32802
)

// ask asks for the edit until the server has one, or refuses.
func (l languageServer) ask(d *dialogue, s Servers, r tool.Renaming) (edit workspaceEdit, err error) {
	at := placeOf(r.Texts[r.Path], r.At)
	params := s.at(r.Path, at)
	params["newName"] = r.To
	for {
		a, err := d.ask("textDocument/rename", params, nil)
		switch {
		case err != nil:
			return edit, err
		case a.Error == nil:
			return readEdit(a.Result)
		case a.Error.Code != contentModified && a.Error.Code != serverCancelled:
			return edit, &serverError{firstLine(a.Error.Message)}
		}
	}
}

// at addresses a place in a file.
func (s Servers) at(path string, l location) map[string]any {
	return map[string]any{"textDocument": map[string]string{"uri": s.uri(path)}, "position": position{Line: l.Line - 1, Character: l.Offset - 1}}
}

// maxUnknown limits the places of which a server is asked what they mean.
const maxUnknown = 300

// unknownPlaces finds the places that the server does not know the meaning of. If the folder has no other symbol of that name it adds them to the
// changes, but for members that are not called: they may be of data from elsewhere.
func unknownPlaces(r tool.Renaming, changes map[string][]change, knows func(path string, at location) (bool, error)) (assumed, left map[string][]codeintel.Span, err error) {
	assumed, left = map[string][]codeintel.Span{}, map[string][]codeintel.Span{}
	asked := 0
	for _, path := range slices.Sorted(maps.Keys(r.Places)) {
		_, renamed := putAt(r.Texts[path], changes[path])
		for _, place := range r.Places[path] {
			if slices.Contains(renamed, place) || asked == maxUnknown {
				continue
			}
			asked++
			start, end := placeOf(r.Texts[path], place.Start), placeOf(r.Texts[path], place.End)
			known, err := knows(path, start)
			switch {
			case err != nil:
				return nil, nil, err
			case known:
			case r.Single && !isData(r.Texts[path], place):
				changes[path] = append(changes[path], change{start, end, r.To})
				assumed[path] = append(assumed[path], place)
			default:
				left[path] = append(left[path], place)
			}
		}
	}
	return assumed, left, nil
}

// isData reports whether a name is a member that is not called.
func isData(text string, name codeintel.Span) bool {
	return strings.HasSuffix(strings.TrimRight(text[:name.Start], " \t"), ".") && !strings.HasPrefix(strings.TrimLeft(text[name.End:], " \t"), "(")
}

func readEdit(result json.RawMessage) (edit workspaceEdit, err error) {
	if err := json.Unmarshal(result, &edit); err != nil {
		return edit, fmt.Errorf("understand its edit: %w", err)
	}
	if len(edit.Changes)+len(edit.Documents) == 0 {
		return edit, &serverError{"it found nothing to rename there"}
	}
	return edit, nil
}

// introduction is how the client describes itself.
func (l languageServer) introduction(s Servers, root string) any {
	uri := s.uri(root)
	return map[string]any{
		"processId": nil, "rootUri": uri, "workspaceFolders": []map[string]string{{"uri": uri, "name": path.Base(root)}},
		"initializationOptions": l.options,
		"capabilities": map[string]any{
			"general":      map[string]any{"positionEncodings": []string{"utf-16"}},
			"workspace":    map[string]any{"configuration": true, "workspaceFolders": true, "workspaceEdit": map[string]any{"documentChanges": true}},
			"textDocument": map[string]any{"rename": map[string]any{}, "synchronization": map[string]any{}},
			"window":       map[string]any{"workDoneProgress": true},
			"experimental": map[string]any{"serverStatusNotification": true},
		},
	}
}

// readiness is what a server has reported about its state.
type readiness struct {
	wanted, ready bool
	fault         string // why it does not know all of the code
}

// notice reads a notification.
func (w *readiness) notice(a answer) {
	var status struct {
		Health    string `json:"health"`
		Quiescent bool   `json:"quiescent"`
		Message   string `json:"message"`
	}
	if a.Method != "experimental/serverStatus" || json.Unmarshal(a.Params, &status) != nil {
		return
	}
	w.ready, w.fault = status.Quiescent, ""
	if status.Health == "error" {
		w.fault = firstLine(status.Message)
	}
}

// wait waits until the server has loaded the code. The error is a *serverError if it cannot.
func (w *readiness) wait(d *dialogue) error {
	for w.wanted && !w.ready {
		a, err := d.next()
		if err != nil {
			return err
		}
		w.notice(a)
	}
	if w.fault != "" {
		return &serverError{w.fault}
	}
	return nil
}

// withoutRoot removes the tree's own folder from a message.
func (s Servers) withoutRoot(text string) string {
	for _, root := range roots(s.Tree.Dir()) {
		text = strings.ReplaceAll(text, root+string(filepath.Separator), "")
	}
	return text
}

// installed returns the command of a server: a script in a folder above a file of the tree, or a program on PATH; nil if there is none. A server among the files of
// the tree itself is not started: a model may have written it.
func (s Servers) installed(file, script string, argv []string) []string {
	if real := s.lent(file, script); real != "" {
		return append([]string{"node", real}, argv[1:]...)
	}
	finder, is := s.Runner.(sandbox.Finder)
	if !is || finder.Find(sandbox.Command{Argv: argv, Dir: s.Tree.Dir()}) != nil {
		return nil
	}
	return argv
}

// lent returns the real path of a file that is lent to the tree, in a folder above another file; empty without one.
func (s Servers) lent(file, name string) string {
	tree, err := filepath.EvalSymlinks(s.Tree.Dir())
	if err != nil || name == "" {
		return ""
	}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if real, err := filepath.EvalSymlinks(filepath.Join(tree, filepath.FromSlash(dir), filepath.FromSlash(name))); err == nil {
			if rel, err := filepath.Rel(tree, real); err != nil || !filepath.IsLocal(rel) {
				return real
			}
		}
		if dir == "." {
			return ""
		}
	}
}
