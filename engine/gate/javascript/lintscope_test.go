package javascript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// Eslint's own rules look at one file each: only changed files are linted, of those that the project lints.
func TestLint_OfAChangeIsItsFilesWhereRulesAreEslintsOwn(t *testing.T) {
	t.Parallel()
	const plain = `{"scripts": {"lint": "eslint --max-warnings 0 lib test"}, "devDependencies": {"eslint": "9"}}`
	for name, tt := range map[string]struct {
		manifest, changed string
		says              string // of eslint
		want              string // the end of each command that is started
	}{
		"a file":               {plain, "lib/a.js README.md", "[]", "--max-warnings 0 -- lib/a.js"},
		"two":                  {plain, "lib/a.js test/a.js", "[]", "--max-warnings 0 -- lib/a.js test/a.js"},
		"none that is linted":  {plain, "other/a.js lib/gone.js", "[]", ""},
		"everything":           {plain, "", "[]", "--max-warnings 0 lib test"},
		"settings":             {plain, "lib/a.js .eslintrc.yml", "[]", "--max-warnings 0 lib test"},
		"another kind of code": {plain, "lib/a.js lib/b.mjs", "[]", "--max-warnings 0 lib test"},
		"a plugin":             {strings.Replace(plain, `"9"`, `"9", "eslint-plugin-import": "2"`, 1), "lib/a.js", "[]", "--max-warnings 0 lib test"},
		"rules of the folder":  {strings.Replace(plain, "--max-warnings 0", "--rulesdir rules", 1), "lib/a.js", "[]", "--rulesdir rules lib test"},
		"a pattern":            {strings.Replace(plain, " lib test", " lib/**", 1), "lib/a.js", "[]", "--max-warnings 0 lib/**"},
		"an ignored file": {
			plain, "lib/a.js", `[{"filePath":"lib/a.js","messages":[{"ruleId":null,"severity":1,"message":"File ignored because of a matching ignore pattern."}]}]`,
			"--max-warnings 0 -- lib/a.js|--max-warnings 0 lib test",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := write(t, map[string]string{"package.json": tt.manifest, "lib/a.js": "", "lib/b.mjs": "", "test/a.js": "", "other/a.js": "", "bin:eslint": ""})
			var started []string
			tool := canned{result: sandbox.Result{Stdout: []byte(tt.says)}, heard: func(c sandbox.Command) {
				_, args, _ := strings.Cut(strings.Join(c.Argv, " "), "unmatched-pattern ")
				started = append(started, args)
			}}
			report := gate.RunIn(t.Context(), gateNamed(t, tool, nameLint), tree, gate.Scope{Changed: strings.Fields(tt.changed), Reach: gate.ReachWide})
			require.Equal(t, tt.want, strings.Join(started, "|"))
			require.Equal(t, tt.want == "", report.Unconcerned)
		})
	}
}
