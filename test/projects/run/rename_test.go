package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// renameCase is a folder in which a parser would rename the wrong places, or none.
type renameCase struct {
	server  string                                  // the name that the output gives
	find    func(t *testing.T, w *world) (has bool) // makes the server available to the folder
	files   map[string]string
	changes map[string]string // "old|new" by path, of the rename of run in the first type
	path    string
	line    string
	single  [2]string // a name that the folder declares once, and a new one that it has already
}

// onPath finds a program on PATH. A program that says no version, as rustup's does without the component, is not there.
func onPath(name string, version ...string) func(*testing.T, *world) bool {
	return func(t *testing.T, _ *world) bool {
		t.Helper()
		found, err := exec.LookPath(name)
		return err == nil && (version == nil || exec.CommandContext(t.Context(), found, version...).Run() == nil)
	}
}

// firstOf finds a program on PATH, and none of those that Forge prefers to it.
func firstOf(name string, better ...string) func(*testing.T, *world) bool {
	return func(t *testing.T, w *world) bool {
		t.Helper()
		return onPath(name)(t, w) && !slices.ContainsFunc(better, func(other string) bool { return onPath(other)(t, w) })
	}
}

// ofNpm links a package of test/projects/javascript into the folder.
func ofNpm(name string) func(*testing.T, *world) bool {
	return func(t *testing.T, w *world) bool {
		t.Helper()
		from, err := filepath.Abs(filepath.Join("..", "javascript", "node_modules", name))
		require.NoError(t, err)
		if _, err := os.Stat(from); err != nil {
			return false
		}
		w.put(map[string]string{"package.json": `{"name": "x", "private": true}`, ".gitignore": "node_modules\n"})
		require.NoError(t, os.Mkdir(filepath.Join(w.root, "node_modules"), 0o755))
		link(t, from, filepath.Join(w.root, "node_modules", name))
		return true
	}
}

func renameCases() map[string]renameCase {
	python := renameCase{
		path: "shop.py", line: "2", single: [2]string{"total", "use"},
		files: map[string]string{
			"shop.py": "class A:\n    def run(self):\n        return 1\n\n\nclass B:\n    def run(self):\n        return 2\n\n\ndef total(n):\n    return n\n",
			"use.py":  "from shop import A, B, total\n\n\ndef use(a: A, b: B, run, other):\n    return a.run() + b.run() + run() + total(1) + other.run()\n",
		},
		changes: map[string]string{"shop.py": "class A:\n    def run|class A:\n    def start", "use.py": "a.run()|a.start()"},
	}
	pyright, pyrightPath, based, pylsp := python, python, python, python
	pyright.server, pyright.find = "pyright", ofNpm("pyright")
	pyrightPath.server, pyrightPath.find = "pyright", onPath("pyright-langserver")
	based.server, based.find = "basedpyright", firstOf("basedpyright-langserver", "pyright-langserver")
	pylsp.server, pylsp.find = "pylsp", firstOf("pylsp", "pyright-langserver", "basedpyright-langserver")
	return map[string]renameCase{
		"gopls": {
			server: "gopls", find: onPath("gopls", "version"), path: "shop.go", line: "5", single: [2]string{"Total", "Use"},
			files: map[string]string{
				"go.mod":  "module example.com/shop\n\ngo 1.24\n",
				"shop.go": "package shop\n\ntype A struct{}\n\nfunc (A) Run() int { return 1 }\n\ntype B struct{}\n\nfunc (B) Run() int { return 2 }\n\nfunc Total(n int) int { return n }\n",
				"use.go":  "package shop\n\nfunc Use(a A, b B, Run func() int) int { return a.Run() + b.Run() + Run() + Total(1) }\n",
			},
			changes: map[string]string{"shop.go": "(A) Run|(A) Start", "use.go": "a.Run()|a.Start()"},
		},
		"tsserver": {
			server: "tsserver", find: ofNpm("typescript"), path: "shop.ts", line: "1", single: [2]string{"total", "use"},
			files: map[string]string{
				"tsconfig.json": "{}",
				"shop.ts":       "export class A { run() { return 1 } }\nexport class B { run() { return 2 } }\nexport function total(n: number) { return n }\n",
				"use.ts":        "import { A, B, total } from './shop'\nexport function use(a: A, b: B, run: () => number, other: any) { return a.run() + b.run() + run() + total(1) + other.run() }\n",
			},
			changes: map[string]string{"shop.ts": "class A { run|class A { start", "use.ts": "a.run()|a.start()"},
		},
		"pyright": pyright, "pyright on PATH": pyrightPath, "basedpyright": based, "pylsp": pylsp,
		"rust-analyzer": {
			server: "rust-analyzer", find: onPath("rust-analyzer", "--version"), path: "src/lib.rs", line: "4", single: [2]string{"total", "both"},
			files: map[string]string{
				"Cargo.toml":  "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/lib.rs":  "pub struct A;\npub struct B;\nimpl A {\n    pub fn run(&self) -> i32 { 1 }\n}\nimpl B {\n    pub fn run(&self) -> i32 { 2 }\n}\npub fn total(n: i32) -> i32 { n }\nmod uses;\npub use uses::both;\n",
				"src/uses.rs": "use crate::{A, B, total};\npub fn both(a: &A, b: &B, run: fn() -> i32) -> i32 { a.run() + b.run() + run() + total(1) }\n",
			},
			changes: map[string]string{"src/lib.rs": "impl A {\n    pub fn run|impl A {\n    pub fn start", "src/uses.rs": "a.run()|a.start()"},
		},
	}
}

// Real language servers rename the method of one type where another type and a parameter have the same name, which no parser can, and the output
// names the server. A name that exists already is rejected, and the server names places that it cannot resolve.
func TestRename_ByRealLanguageServers(t *testing.T) {
	t.Parallel()
	for name, c := range renameCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "tsserver" {
				return
			}
			w := folder(t, c.files)
			if !c.find(t, w) {
				t.Skip(c.server + " is not installed: renames by it are not tested here")
			}
			old, to := "run", "start"
			if c.server == "gopls" {
				old, to = "Run", "Start"
			}
			code, _, stderr := w.run("rename", old, to, "--path", c.path, "--line", c.line, "--yes")
			require.Equal(t, 1, code, "without trust no server is started: %s", stderr)
			code, _, stderr = w.run("rename", old, to, "--path", c.path, "--line", c.line, "--yes", "--trust")
			require.Zero(t, code, stderr)
			require.Contains(t, stderr, "rename "+old+" to "+to+" by "+c.server+": 2 places in 2 files")
			if strings.Contains(c.files["use.py"]+c.files["use.ts"], "other.run()") {
				require.Contains(t, stderr, "1 place without a type known to "+c.server)
			}
			for path, text := range c.files {
				if before, after, changed := strings.Cut(c.changes[path], "|"); changed {
					require.Equal(t, 1, strings.Count(text, before), path)
					text = strings.Replace(text, before, after, 1)
				}
				require.Equal(t, text, texts(t, w.root)[path], path)
			}
			code, _, stderr = w.run("rename", c.single[0], c.single[1], "--dry-run")
			require.Equal(t, 1, code, stderr)
			require.Regexp(t, "already exists|conflicts with", stderr)
		})
	}
}
