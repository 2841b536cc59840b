package rust

import (
	"cmp"
	"context"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

var (
	noToolchain = lazyregexp.New(`(?m)^error: toolchain '(\S+)' is not installed`)
	noComponent = lazyregexp.New(`(?m)^error: '(\S+?)' is not installed for the toolchain '(\S+?)'`)
	noCommand   = lazyregexp.New("(?m)^error: no such command: [`'](\\w+)")
	tooOld      = lazyregexp.New(`(?m)^error: rustc (\S+) is not supported by the following packages?|requires rustc (\S+)`)
)

// components are the rustup components that contain programs.
var components = map[string]string{"cargo-fmt": "rustfmt", "fmt": "rustfmt", "cargo-clippy": "clippy"}

// absent returns the program that rustup reports as missing or outdated, which is not the tree's fault.
func absent(stderr string) gate.Missing {
	if m := noToolchain.FindStringSubmatch(stderr); m != nil {
		return gate.Missing{Program: "the Rust toolchain " + m[1], Install: "rustup toolchain install " + m[1]}
	}
	if m := noComponent.FindStringSubmatch(stderr); m != nil {
		return gate.Missing{Program: m[1], Install: "rustup component add " + cmp.Or(components[m[1]], m[1]) + " --toolchain " + m[2]}
	}
	if m := noCommand.FindStringSubmatch(stderr); m != nil {
		return gate.Missing{Program: "cargo " + m[1], Install: "rustup component add " + cmp.Or(components[m[1]], m[1])}
	}
	if tooOld.MatchString(stderr) {
		return gate.Missing{Program: "a Rust that the project supports", Install: "rustup update"}
	}
	return gate.Missing{}
}

// lacks starts a program for its version.
func (t cargo) lacks(ctx context.Context, tree gate.Tree, argv ...string) gate.Missing {
	if foreignToolchain(tree) {
		return gate.Missing{} // Run reports what is wrong
	}
	missing := t.tools.Lacks(ctx, tree, argv...)
	if !missing.Is() {
		return missing
	}
	result, err := t.tools.Runner.Run(ctx, sandbox.Command{InPlace: true, Argv: argv, Dir: tree.Dir(), Env: t.tools.Env, Timeout: tool.PreflightLimit})
	if said := absent(string(result.Stderr)); err == nil && said.Is() {
		return said
	}
	return missing
}
