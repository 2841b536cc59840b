package javascript

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript"
)

// The check with tsc's build info finds the same errors: it reports one in a file that has not changed, and no longer
// one that is fixed.
func TestTypes_SameFindingsWithAndWithoutBuildInfo(t *testing.T) {
	t.Parallel()
	const right = "export const size = (text: string): number => text.length;\n"
	p := open(t, map[string]string{
		"package.json": "{}", "tsconfig.json": "{\n  // every file\n  \"include\": [\"**/*\"],\n  \"compilerOptions\": {\"strict\": true, \"types\": [],},\n}\n",
		"src/size.ts": right, "src/user.ts": "import { size } from './size';\nexport const wide: number = size('a');\n", "src/apart.ts": "export const one: string = 'a';\n",
	}, "typescript")
	kept := t.TempDir()
	check := func(kept string) gate.Report {
		all := javascript.Language(machine(), kept).Gates
		at := slices.IndexFunc(all, func(g gate.Gate) bool { return g.Name() == "tsc" })
		report := all[at].Run(t.Context(), p.tree)
		report.Elapsed = 0
		return report
	}
	require.Equal(t, gate.Pass, check(kept).Verdict)
	entries, err := os.ReadDir(filepath.Join(kept, "tsc"))
	require.NoError(t, err)
	require.Len(t, entries, 1, "tsc remembers")
	for _, files := range []map[string]string{
		{"src/size.ts": "export const size = (text: string): string => text;\n"},
		{"src/apart.ts": "export const one: string = 1;\n"},
		{"src/size.ts": right},
		{"src/user.ts": "import { size } from './gone';\nexport const wide: number = size('a');\n", "src/apart.ts": "export const one = 1;\n"},
		{"src/gone.ts": "export const size = (text: string): string => text;\n"},
	} {
		p.apply(t, files)
		warm, cold := check(kept), check(t.TempDir())
		require.Equal(t, cold, warm)
		require.NoFileExists(t, filepath.Join(p.tree.Dir(), ".forge.tsbuildinfo"))
	}
	require.Equal(t, gate.Fail, check(kept).Verdict)
}
