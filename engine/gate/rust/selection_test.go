package rust

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// A workspace: app depends on core, which the tests of cli use, and cli on app; alone has no dependency.
const workspace = `-- Cargo.toml --
[workspace]
members = ["core", "app", "cli", "alone"]
-- core/Cargo.toml --
-- core/src/lib.rs --
-- core/tests/it.rs --
-- core/examples/e.rs --
-- app/Cargo.toml --
-- app/src/lib.rs --
#![doc = include_str!("../../docs/app.md")]
-- cli/Cargo.toml --
-- cli/src/main.rs --
-- alone/Cargo.toml --
-- alone/src/lib.rs --
-- apart/Cargo.toml --
-- apart/src/lib.rs --
-- core/tests/it/one.rs --
-- core/tests/shared/one.rs --
-- core/tests/all.rs --
mod shared;
-- docs/app.md --
-- docs/other.md --
`

const workspaceMetadata = `{"packages":[
{"id":"1","name":"core","version":"0.1.0","manifest_path":"/tree/core/Cargo.toml","targets":[{"name":"core","src_path":"/tree/core/src/lib.rs"},{"name":"it","kind":["test"],"src_path":"/tree/core/tests/it.rs"},{"name":"all","kind":["test"],"src_path":"/tree/core/tests/all.rs"},{"name":"shared","kind":["test"],"src_path":"/tree/core/tests/shared.rs"}]},
{"id":"2","name":"app","version":"0.2.0","manifest_path":"/tree/app/Cargo.toml","dependencies":[{"name":"core","kind":null,"path":"/tree/core"}],"targets":[{"name":"app","src_path":"/tree/app/src/lib.rs"}]},
{"id":"3","name":"cli","version":"0.3.0","manifest_path":"/tree/cli/Cargo.toml","dependencies":[{"name":"app","kind":"build"},{"name":"serde","kind":null}],"targets":[{"name":"cli","src_path":"/tree/cli/src/main.rs"}]},
{"id":"4","name":"alone","version":"0.4.0","manifest_path":"/tree/alone/Cargo.toml","dependencies":[{"name":"core","kind":"dev","path":"/tree/core"}],"targets":[{"name":"alone","src_path":"/tree/alone/src/lib.rs"}]}]}`

// packagesOf are the arguments by which cargo is given packages, for a scope.
func packagesOf(t *testing.T, metadata string, scope gate.Scope) (args string, report gate.Report) {
	t.Helper()
	var started []sandbox.Command
	runner := canned{says: map[string]sandbox.Result{"cargo metadata": says(metadata)}, started: &started}
	report = gate.RunIn(t.Context(), Language(runner, t.TempDir()).Gates[1], write(t, workspace), scope)
	for _, c := range started {
		if line := strings.Join(c.Argv, " "); strings.HasPrefix(line, "cargo check ") {
			args, _, _ = strings.Cut(strings.TrimPrefix(line, "cargo check "), " --all-targets")
		}
	}
	return args, report
}

func TestScope_IsTheChangedPackagesAndThoseThatDependOnThem(t *testing.T) {
	t.Parallel()
	const everything = "--workspace"
	for _, c := range []struct {
		changed string // separated by blanks
		reach   gate.Reach
		want    string
	}{
		{"core/src/lib.rs", gate.ReachNear, "-p core@0.1.0"},
		{"core/src/lib.rs", gate.ReachAll, everything},
		{"app/src/lib.rs", gate.ReachWide, "-p app@0.2.0 -p cli@0.3.0"},
		{"alone/src/new.rs", gate.ReachWide, "-p alone@0.4.0"},
		{"app/Cargo.toml", gate.ReachWide, "-p app@0.2.0 -p cli@0.3.0"},
		{"core/src/lib.rs", gate.ReachWide, everything}, // app and cli depend on it, and the tests of alone
		{"core/tests/it.rs", gate.ReachWide, "-p core@0.1.0"},
		{"core/examples/e.rs alone/src/lib.rs", gate.ReachWide, "-p alone@0.4.0 -p core@0.1.0"},
		{"docs/app.md", gate.ReachNear, "-p app@0.2.0"}, // it is compiled into app
		{"docs/other.md", gate.ReachWide, ""},
		{"docs/other.md cli/src/main.rs", gate.ReachWide, "-p cli@0.3.0"},
		{"Cargo.toml", gate.ReachNear, everything},
		{"Cargo.lock", gate.ReachNear, everything},
		{"build.rs", gate.ReachNear, everything},
		{".cargo/config.toml", gate.ReachNear, everything},
		{"gone/Cargo.toml", gate.ReachNear, everything},
		{"apart/src/lib.rs", gate.ReachNear, everything}, // of no member
		{"../other/src/lib.rs", gate.ReachNear, everything},
	} {
		args, report := packagesOf(t, workspaceMetadata, gate.Scope{Changed: strings.Fields(c.changed), Reach: c.reach})
		require.Equal(t, c.want, args, "%+v", c)
		require.Equal(t, c.want == "", report.Unconcerned, "%+v", c)
	}
}

func TestScope_IsEverythingWhereAPackageNeedsOneThatIsNoMember(t *testing.T) {
	t.Parallel()
	for _, apart := range []string{"/tree/apart", "/elsewhere/core"} {
		metadata := strings.Replace(workspaceMetadata, `"path":"/tree/core"`, `"path":"`+apart+`"`, 1)
		args, _ := packagesOf(t, metadata, gate.Scope{Changed: []string{"alone/src/lib.rs"}, Reach: gate.ReachWide})
		require.Equal(t, "--workspace", args)
	}
}

func TestScope_OfTestsIsWhatCargoIsGiven(t *testing.T) {
	t.Parallel()
	tests := []string{"core::it adds", "alone tests::waits"}
	for name, c := range map[string]struct {
		scope gate.Scope
		args  string
		exact string
	}{
		"some tests":              {gate.Scope{Only: tests}, "-p alone@0.4.0 -p core@0.1.0 --lib --test=it", "--exact adds tests::waits"},
		"their packages":          {gate.Scope{Only: tests, Files: true}, "-p alone@0.4.0 -p core@0.1.0 --lib --test=it", ""},
		"an example":              {gate.Scope{Only: []string{"app::doc src/lib.rs - fee"}}, "-p app@0.2.0", ""},
		"an example and a test":   {gate.Scope{Only: []string{"app::doc src/lib.rs - fee", "app pays"}}, "-p app@0.2.0", ""},
		"of a binary":             {gate.Scope{Only: []string{"cli::bin/cli runs"}}, "-p cli@0.3.0 --bin=cli", "--exact runs"},
		"one of no crate":         {gate.Scope{Only: []string{"gone x"}}, "--workspace", ""},
		"a program of tests":      {gate.Scope{Changed: []string{"core/tests/it.rs", "docs/other.md"}, Reach: gate.ReachNear}, "-p core@0.1.0 --test=it", ""},
		"a module of a program":   {gate.Scope{Changed: []string{"core/tests/it/one.rs"}, Reach: gate.ReachNear}, "-p core@0.1.0 --test=it", ""},
		"one that others name":    {gate.Scope{Changed: []string{"core/tests/shared/one.rs"}, Reach: gate.ReachNear}, "-p core@0.1.0", ""},
		"a program and code":      {gate.Scope{Changed: []string{"core/tests/it.rs", "cli/src/main.rs"}, Reach: gate.ReachNear}, "-p cli@0.3.0 -p core@0.1.0", ""},
		"no crate's, in packages": {gate.Scope{Only: []string{"gone x"}, Changed: []string{"cli/src/main.rs"}, Reach: gate.ReachNear}, "-p cli@0.3.0", ""},
	} {
		var started []sandbox.Command
		runner := canned{says: map[string]sandbox.Result{"cargo metadata": says(workspaceMetadata), "cargo test": says(finished)}, started: &started}
		gate.RunIn(t.Context(), Language(runner, t.TempDir()).Gates[3], write(t, workspace), c.scope)
		last := strings.Join(started[len(started)-1].Argv, " ")
		require.Equal(t, strings.TrimSpace("cargo test "+c.args+" --no-fail-fast --offline -- --color never "+c.exact), last, name)
	}
}
