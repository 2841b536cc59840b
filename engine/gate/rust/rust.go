// Package rust is the gates for Rust: cargo fmt, cargo check, cargo clippy and cargo test, run in a scratch tree and
// parsed into findings.
//
// Build output is outside of the tree, in a folder that belongs to this tree (builds). It begins with the downloaded crates
// that the user's own builds have compiled, and these stay from gate to gate; the output of the tree's own packages is
// removed before each gate, so that no verdict depends on a clock or on the files of an earlier test. Incremental data, which the
// compiler compares with contents, stays out of reach of the tests (docs/adr/0122).
//
// Cargo uses the network only if it must, and no toolchain is installed because a file requests it.
//
// Invariants: those of package tool. A test counts as executed only if its harness announced it, and reported its
// result; a test program that ends before its harness does is a failure, regardless of its exit code.
package rust

import (
	"context"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// The time limits of tools, after which a gate is an Error. The first build compiles all dependencies.
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

// Language returns the language of Rust. cache is a folder of Forge's own for build output; it is created on
// first use. env ("NAME=value") is added to the environment that the runner gives to processes.
func Language(runner sandbox.Runner, cache string, env ...string) gate.Language {
	t := cargo{tools: toolsOf(runner, env), cache: cache, lately: &lately{known: map[string]gate.Report{}}}
	return gate.Language{
		Name: "rust", Mark: manifestName, Roots: roots, Gates: t.gates(), Later: []string{nameCheck, nameClippy}, Spare: []string{nameClippy}, Suite: nameTest, IsTest: IsTest, Inline: inline, Red: Red, Without: Without, Endings: []string{".rs", ".toml", "Cargo.lock"},
		Select: t.choose, Format: t.format,
	}
}

// noWrapper is set only where a folder configures cargo: to cargo, units that are compiled with it are other units than the user's.
const noWrapper = "RUSTC_WORKSPACE_WRAPPER="

// toolsOf returns the tools for Rust's programs with their environment.
func toolsOf(runner sandbox.Runner, env []string) tool.Tools {
	return tool.Tools{
		Runner: runner, Install: "https://rustup.rs", InPlace: true,
		Env: append([]string{
			"RUSTUP_AUTO_INSTALL=0", // a file of the folder cannot install a toolchain
			"RUST_BACKTRACE=0",      // a failure reads the same everywhere
			"CARGO_TERM_COLOR=never", "CARGO_TERM_PROGRESS_WHEN=never",
			"RUSTC_WRAPPER=", noWrapper, // a folder's configuration cannot wrap the compiler
		}, env...),
	}
}

// gates returns all gates, cheapest first.
func (t cargo) gates() []gate.Gate {
	return []gate.Gate{
		&formatGate{cargo: t, limit: formatLimit},
		&compileGate{cargo: t, limit: buildLimit, name: nameCheck, program: []string{"cargo", "check"}, worst: gate.SeverityError},
		&compileGate{cargo: t, limit: buildLimit, name: nameClippy, program: []string{"cargo-clippy", "clippy"}, worst: gate.SeverityWarning},
		&testGate{cargo: t, limit: testLimit},
	}
}

// choose returns the names of a project's gates, without clippy if it is neither installed nor configured.
func (t cargo) choose(ctx context.Context, tree gate.Tree) []string {
	names := []string{nameFormat, nameCheck}
	if t.wantsClippy(tree) || t.has(ctx, tree, "cargo-clippy", "--version") {
		names = append(names, nameClippy)
	}
	return append(names, nameTest)
}
