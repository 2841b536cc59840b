package rust

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadManifest_KnowsEachWayToWriteATable(t *testing.T) {
	t.Parallel()
	custom := func(names ...string) map[string]bool {
		all := map[string]bool{}
		for _, name := range names {
			all[name] = true
		}
		return all
	}
	for name, c := range map[string]struct {
		text              string
		workspace, clippy bool
		excluded          string
		custom            map[string]bool
	}{
		"tables":            {"[workspace]\nexclude = [\n  \"a\", # why\n  'b',\n]\n[workspace.lints.clippy]\nall = \"deny\"\n", true, true, "b/c", custom()},
		"dotted keys":       {"workspace.exclude = ['a']\nlints.clippy.all = \"deny\"\nlib.harness = false\n", true, true, "a", custom("")},
		"inline tables":     {"workspace = { exclude = [\"a\"] }\nlints = { clippy = { all = \"deny\" } }\nlib = { harness = false, name = \"x\" }\n", true, true, "a", custom("")},
		"arrays of tables":  {"[[test]]\nname = \"one\"\nharness = false\n[[bench]]\nname = 'two'\nharness = true\n[[bin]]\nname = \"three\"\nharness=false#x\n", false, false, "", custom("one", "three")},
		"arrays, inline":    {"test = [{name = \"one\", harness = false}, {name = \"two\"}]\n", false, false, "", custom("one")},
		"texts of lines":    {"[package]\ndescription = \"\"\"\n[workspace]\nharness = false\n\"\"\"\nreadme = '''\n[lints.clippy]\n'''\n", false, false, "", custom()},
		"quoted keys":       {"[\"workspace\"]\n\"exclude\" = [\"a\"]\n[ lints . 'clippy' ]\nx = 1\n", true, true, "a", custom()},
		"another workspace": {"[package.metadata.workspace]\nexclude = ['a']\n[dependencies]\nworkspace = \"1\"\n", false, false, "", custom()},
		"broken":            {"[workspace\n", false, false, "", custom()},
		"nothing":           {"", false, false, "", custom()},
	} {
		m := readManifest([]byte(c.text))
		require.Equal(t, c.workspace, m.Workspace != nil, name)
		require.Equal(t, c.clippy, m.setsClippy(), name)
		require.Equal(t, c.excluded != "", m.excludes(c.excluded), name)
		require.Equal(t, c.custom, m.custom(), name)
	}
	require.True(t, readManifest([]byte("package.metadata = { cargo-fuzz = true }")).isFuzz())
	require.False(t, readManifest([]byte("[package.metadata]\ncargo-fuzz = false")).isFuzz())
}

func TestEditionOf_IsThePackagesOrItsWorkspaces(t *testing.T) {
	t.Parallel()
	tree := write(t, `-- Cargo.toml --
workspace.package = { edition = "2024" }
-- own/Cargo.toml --
package.edition = "2018"
-- old/Cargo.toml --
[package]
-- shared/Cargo.toml --
[package]
edition.workspace = true
-- shared/tests/data/x.rs --
`)
	for file, want := range map[string]string{"own/src/lib.rs": "2018", "old/src/lib.rs": "2015", "shared/tests/data/x.rs": "2024", "x.rs": "2024"} {
		require.Equal(t, want, editionOf(tree, file), file)
	}
}

func TestBrings_SeesAPathHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"[toolchain]\npath = \"./evil\"\n": true, "toolchain.path = './evil'": true, "toolchain = { path = \"x\" }": true, "\"toolchain\".'path' = 'x'": true,
		"[toolchain\npath = 'x'": true, "[toolchain]\nchannel = \"path = 1\"\n": false, "stable\n": false, "1.90.0": false, "": false,
	} {
		require.Equal(t, want, brings([]byte(text)), text)
	}
}
