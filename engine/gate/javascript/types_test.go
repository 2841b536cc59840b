package javascript

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// compiler plays tsc: it writes to its file which text it found there, and rejects what the test selects.
type compiler struct {
	refuses string
	started [][]string
	found   []string // what it remembered at each start
}

func (c *compiler) Run(_ context.Context, command sandbox.Command) (sandbox.Result, error) {
	c.started = append(c.started, command.Argv)
	text, _ := os.ReadFile(filepath.Join(command.Dir, infoName))
	c.found = append(c.found, string(text))
	if slices.Contains(command.Argv, "--incremental") {
		if c.refuses != "" {
			return sandbox.Result{ExitCode: 1, Stdout: []byte(c.refuses)}, nil
		}
		if err := os.WriteFile(filepath.Join(command.Dir, infoName), append(text, '+'), 0o600); err != nil {
			return sandbox.Result{}, err
		}
	}
	return sandbox.Result{Stdout: []byte(filepath.Join(command.Dir, "a.ts") + "\n")}, nil
}

// typed is a project with a tsconfig.json and a version of TypeScript.
func typed(t *testing.T, config, version string) dir {
	t.Helper()
	tree := write(t, map[string]string{"package.json": "{}", "tsconfig.json": config, "a.ts": "", "bin:tsc": ""})
	name := filepath.Join(tree.Dir(), "node_modules", "typescript", "package.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(`{"version": "`+version+`"}`), 0o600))
	return tree
}

func TestTypes_RemembersFromCheckToCheck(t *testing.T) {
	t.Parallel()
	kept, tree, other, tsc := t.TempDir(), typed(t, "{}", "5.9.3"), typed(t, "{}", "5.9.3"), &compiler{}
	g := &typesGate{tools: tools{}, limit: checkLimit, kept: kept}
	g.tools.Runner = tsc
	check := func(tree gate.Tree) {
		report := g.Run(t.Context(), tree)
		require.Equal(t, gate.Pass, report.Verdict, report.Summary)
		require.NoFileExists(t, filepath.Join(tree.Dir(), infoName), "it is in the tree only while tsc runs")
	}
	check(tree)
	check(tree)
	check(other)
	require.NoError(t, os.WriteFile(filepath.Join(tree.Dir(), infoName), []byte("forged"), 0o600))
	check(tree)
	require.Equal(t, []string{"", "+", "", "++"}, tsc.found, "another project has its own, and what is in the tree counts for nothing")
	entries, err := os.ReadDir(kept)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func TestTypes_ChecksEverythingWhereTheProjectWantsThat(t *testing.T) {
	t.Parallel()
	const refused = "tsconfig.json(3,5): error TS5053: Option 'incremental' cannot be specified with option 'x'.\n"
	for name, c := range map[string]struct {
		config, version, refuses string
		want                     []string // of each start, its mode
	}{
		"a usual project":           {"{}", "5.9.3", "", []string{"remembering"}},
		"with a byte-order mark":    {"\uFEFF{\"compilerOptions\": {\"incremental\": false}}", "5.9.3", "", []string{"plain"}},
		"tsc is too old":            {"{}", "3.9.10", "", []string{"plain"}},
		"it is a part of a build":   {`{"compilerOptions": {"composite": true, /* why */},}`, "5.9.3", "", []string{"plain"}},
		"it wants no memory":        {"{\n// \"**/*\"\n\"include\": [\"src/**/*\", \"http://x\"],\n\"compilerOptions\": {\"incremental\": false}, // y\n}", "5.9.3", "", []string{"plain"}},
		"it names others only":      {`{"files": [], /* all */ "references": [{"path": "p//**/"}],}`, "5.9.3", "", []string{"build"}},
		"globs are no comments":     {`{"include": ["**/*", "a/**/b"], "references": [{"path": "p"}]}`, "5.9.3", "", []string{"remembering"}},
		"the options do not fit":    {"{}", "5.9.3", refused, []string{"remembering", "plain"}},
		"it remembers in its place": {`{"compilerOptions": {"incremental": true, "tsBuildInfoFile": "x"}}`, "5.9.3", "", []string{"remembering"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tsc := &compiler{refuses: c.refuses}
			g := &typesGate{tools: tools{}, limit: checkLimit, kept: t.TempDir()}
			g.tools.Runner = tsc
			tree := typed(t, c.config, c.version)
			report := g.Run(t.Context(), tree)
			require.Equal(t, gate.Pass, report.Verdict, report.Summary)
			var modes []string
			for _, argv := range tsc.started {
				switch line := strings.Join(argv[1:], " "); {
				case strings.Contains(line, "--incremental --tsBuildInfoFile "+infoName):
					modes = append(modes, "remembering")
				case strings.HasPrefix(line, "-b --force"):
					modes = append(modes, "build")
				default:
					modes = append(modes, "plain")
				}
			}
			require.Equal(t, c.want, modes)
		})
	}
}
