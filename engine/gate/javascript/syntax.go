package javascript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// syntaxGate parses every file of a plain JavaScript project with Node.js, without running it.
type syntaxGate struct {
	tools tools
	limit time.Duration
}

// Name returns the gate's name.
func (*syntaxGate) Name() string { return nameSyntax }

// Stage returns the stage of linters, because it is fast.
func (*syntaxGate) Stage() gate.Stage { return gate.StageLint }

// Weight returns Required: everything else depends on the syntax.
func (*syntaxGate) Weight() gate.Weight { return gate.Required }

// OnlyReads returns true: no code of the tree runs.
func (*syntaxGate) OnlyReads() bool { return true }

// compilers accept syntax in JavaScript files that Node.js cannot read.
var compilers = []string{
	"typescript", "@babel/core", "@babel/cli", "@babel/preset-env", "babel-cli", "flow-bin", "@swc/core", "react", "preact", "react-scripts", "next",
	"solid-js", "vue", "svelte", "react-native", "expo", "gatsby", "@rescript/core",
}

// isPlainJavaScript reports whether Node.js can read the syntax of a project's files.
func isPlainJavaScript(p *npm.Project) bool {
	return !hasTypes(p) && !slices.ContainsFunc(compilers, p.DependsOn)
}

// compileAll parses files without running them, as both kinds if the ending is ambiguous. It prints a line of JSON for each
// invalid file, and the number of all files at the end. As a program, it handles a thousand files in one process.
const compileAll = `const fs=require("fs"),path=require("path"),vm=require("vm"),types=new Map();
const type=(dir)=>{if(types.has(dir))return types.get(dir);let t;
try{t=JSON.parse(fs.readFileSync(path.join(dir,"package.json"),"utf8")).type??"none"}catch(e){t=dir==="."?"none":type(path.dirname(dir))}
types.set(dir,t);return t};
const ways={module:(s,f)=>new vm.SourceTextModule(s,{identifier:f}),
commonjs:(s,f)=>vm.compileFunction(s.replace(/^#!.*/,""),["exports","require","module","__filename","__dirname"],{filename:f})};
const files=process.argv.slice(1);
for(const f of files){const t=type(path.dirname(f));let source;
try{source=fs.readFileSync(f,"utf8").replace(/^\uFEFF/,"")}catch(e){console.log(JSON.stringify({f,m:String(e.message)}));continue}
const w=f.endsWith(".mjs")?["module"]:f.endsWith(".cjs")?["commonjs"]:t==="module"?["module"]:["commonjs","module"];
let last;for(const k of w){try{ways[k](source,f);last=undefined;break}catch(e){if(!last||/\b(import|export|await|return)\b/.test(last.m))last={f,k,m:String(e.message)}}}
if(last)console.log(JSON.stringify(last))}
console.log(JSON.stringify({n:files.length}))`

// Run parses the files.
func (g *syntaxGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: nameSyntax}
	sources, err := plainFiles(tree.Dir())
	if err != nil {
		report.Verdict, report.Summary = gate.Error, tool.Summary("the tree cannot be read: %v", err)
		return report
	}
	var total sandbox.Result
	for _, batch := range batches(sources) {
		argv := append([]string{"node", "--no-warnings", "--experimental-vm-modules", "-e", compileAll, "--"}, batch...)
		result, done := g.tools.Run(ctx, tree, &report, g.limit, argv...)
		if done {
			report.Executed = 0
			return report
		}
		said, checked := parseCompileAll(string(result.Stdout), tool.RootOf(tree))
		for _, b := range said {
			report.Findings = append(report.Findings, g.look(ctx, tree, b))
		}
		if checked != len(batch) && result.ExitCode == 0 {
			result.ExitCode = -1 // it did not finish
		}
		if result.ExitCode != 0 {
			total.ExitCode = result.ExitCode
		}
		total.Truncated = total.Truncated || result.Truncated
		report.Executed += checked
	}
	report.Command = []string{"node", "--check"} // the equivalent
	bad := files(report.Findings)
	report.Passed = max(0, report.Executed-bad)
	tool.Conclude(&report, total, tool.Words{
		Failed: fmt.Sprintf("%d of %s cannot be parsed", bad, tool.Count(report.Executed, "file")),
		Passed: tool.Count(report.Executed, "file") + " parsed", Nothing: "no JavaScript files to parse",
	})
	return report
}

// unparsed is a file with a syntax error.
type unparsed struct {
	Path    string `json:"f"`
	Kind    string `json:"k"` // "module" or "commonjs"; empty: unreadable
	Message string `json:"m"`
	Count   *int   `json:"n"` // in the last line: the number of files
}

// parseCompileAll parses the output of compileAll. checked is 0 if it did not finish.
func parseCompileAll(stdout string, r tool.Root) (found []unparsed, checked int) {
	for line := range strings.Lines(stdout) {
		var u unparsed
		if json.Unmarshal([]byte(line), &u) != nil {
			continue
		}
		if u.Count != nil {
			checked = max(0, *u.Count)
			continue
		}
		if rel, ok := testrun.Local(u.Path, r); ok {
			u.Path = rel
			found = append(found, u)
		}
	}
	return found, checked
}

// look asks Node.js for the place of a syntax error: for a module, only its own check reports it.
func (g *syntaxGate) look(ctx context.Context, tree gate.Tree, u unparsed) gate.Finding {
	f := testrun.Place{Path: u.Path, Line: 1}.Finding(testrun.RuleSyntax, u.Message)
	if u.Kind == "" {
		return f
	}
	root, err := os.OpenRoot(tree.Dir())
	if err != nil {
		return f
	}
	defer root.Close() //nolint:errcheck // only read
	text, err := root.ReadFile(filepath.FromSlash(u.Path))
	if err != nil {
		return f
	}
	result, err := g.tools.Runner.Run(ctx, sandbox.Command{
		Argv: []string{"node", "--input-type=" + u.Kind, "--check", "-"}, Dir: tree.Dir(), Env: g.tools.Env,
		Stdin: bytes.NewReader(text), Timeout: g.limit,
	})
	if err != nil {
		return f
	}
	if line, column, said := parseCheck(string(result.Stderr)); line > 0 {
		f.Line, f.Column, f.Message = line, column, said
		at := []gate.Finding{f}
		testrun.InBytes(tool.SourcesOf(tree), at)
		return at[0]
	}
	return f
}

var stdinLine = lazyregexp.New(`^\[stdin\]:(\d+)$`)

// parseCheck parses the output of node --check: the line, a mark below the place, and the error.
func parseCheck(stderr string) (line, column int, said string) {
	lines := strings.Split(stderr, "\n")
	for i, text := range lines {
		text = strings.TrimRight(text, "\r")
		if m := stdinLine.FindStringSubmatch(text); m != nil && line == 0 {
			line = testrun.At("", m[1], "").Line
			if i+2 < len(lines) {
				if c := testrun.Caret.FindStringSubmatch(strings.TrimRight(lines[i+2], "\r")); c != nil {
					column = len(c[1]) + 1
				}
			}
		}
		if strings.HasPrefix(text, "SyntaxError: ") {
			return line, column, text
		}
	}
	return 0, 0, ""
}

// plainFiles returns the JavaScript files of a project, sorted: without those of packages, hidden folders and nested projects,
// and without minified ones.
func plainFiles(dir string) ([]string, error) {
	tree := os.DirFS(dir)
	var found []string
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (slices.Contains(notSources, base) || strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case !entry.Type().IsRegular() || strings.HasSuffix(name, ".min.js"):
			return nil
		case strings.HasSuffix(name, ".js"), strings.HasSuffix(name, ".mjs"), strings.HasSuffix(name, ".cjs"):
			found = append(found, name)
		}
		return nil
	})
	return found, err
}

// notSources are folders without handwritten JavaScript, or with deliberately faulty files.
var notSources = []string{"node_modules", "bower_components", "vendor", "dist", "build", "out", "coverage", "fixtures", "__fixtures__", "fixture", "testdata"}

// argLimit limits the file names of one command in bytes; systems allow at least 100 kB.
const argLimit = 64 << 10

// batches splits a list of files into argument lists, each name with a "./" so that none is an option.
func batches(names []string) (all [][]string) {
	size := argLimit
	for _, name := range names {
		if size+len(name) > argLimit {
			all, size = append(all, nil), 0
		}
		last := len(all) - 1
		all[last] = append(all[last], "./"+name)
		size += len(name) + 3
	}
	return all
}
