// Package rust is the gates for Rust: cargo fmt, cargo check, cargo clippy and cargo test, run in a scratch tree and
// read into findings.
//
// Build products lie outside of the tree, in a place that belongs to this one tree (place.go). Crates that were
// downloaded stay compiled there from gate to gate; what was made of the tree itself is thrown away before each gate,
// so that no verdict rests on a clock or on what an earlier test left behind.
//
// Cargo asks the network only where it cannot do without, and no toolchain is installed because a file says so.
//
// Invariants: those of package tool. A test counts as executed only when its harness announced it, and said how it
// ended; a program of tests that ends before its harness does is a failure, whatever its exit code.
package rust

import (
	"context"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// How long a tool may take before its gate is an Error. The first build compiles all dependencies.
const (
	formatLimit = 1 * time.Minute
	listLimit   = 1 * time.Minute
	buildLimit  = 10 * time.Minute
	testLimit   = 15 * time.Minute
)

// The names of the gates.
const (
	nameFormat = "cargo fmt"
	nameCheck  = "cargo check"
	nameClippy = "cargo clippy"
	nameTest   = "cargo test"
)

// Language is Rust. cache is a folder of Forge's own for what is compiled; it is made when it is needed. env
// ("NAME=value") is added to the environment that the runner gives to processes.
func Language(runner sandbox.Runner, cache string, env ...string) gate.Language {
	t := cargo{tools: toolsOf(runner, env), cache: cache}
	return gate.Language{
		Name: "rust", Mark: manifestName, Roots: roots, Gates: t.gates(), Later: []string{nameCheck, nameClippy}, Suite: nameTest, IsTest: IsTest, Inline: inline, Red: Red, Without: Without, Endings: []string{".rs", ".toml", "Cargo.lock"},
		Select: t.choose, Format: t.format,
	}
}

// toolsOf gives the programs of the Rust distribution their environment.
func toolsOf(runner sandbox.Runner, env []string) tool.Tools {
	return tool.Tools{
		Runner: runner, Install: "https://rustup.rs",
		Env: append([]string{
			"RUSTUP_AUTO_INSTALL=0", // no toolchain comes because a file of the folder names it
			"RUST_BACKTRACE=0",      // a failure reads the same wherever it happens
			"CARGO_TERM_COLOR=never", "CARGO_TERM_PROGRESS_WHEN=never",
			"RUSTC_WRAPPER=", "RUSTC_WORKSPACE_WRAPPER=", // a folder's configuration puts no program before the compiler
		}, env...),
	}
}

// gates are all there are, cheapest first.
func (t cargo) gates() []gate.Gate {
	return []gate.Gate{
		&formatGate{cargo: t, limit: formatLimit},
		&compileGate{cargo: t, limit: buildLimit, name: nameCheck, program: []string{"cargo", "check"}, worst: gate.SeverityError},
		&compileGate{cargo: t, limit: buildLimit, name: nameClippy, program: []string{"cargo-clippy", "clippy"}, worst: gate.SeverityWarning},
		&testGate{cargo: t, limit: testLimit},
	}
}

// choose names the gates that check a project: clippy is left out where it is not installed and nothing asks for it.
func (t cargo) choose(ctx context.Context, tree gate.Tree) []string {
	names := []string{nameFormat, nameCheck}
	if t.wantsClippy(tree) || t.has(ctx, tree, "cargo-clippy", "--version") {
		names = append(names, nameClippy)
	}
	return append(names, nameTest)
}
