package npm

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

type folder string

func (f folder) Dir() string { return string(f) }

func TestLacksDependency_IsAPackageThatAFileImports(t *testing.T) {
	t.Parallel()
	const workspace = `{"workspaces": ["packages/*"]}`
	for name, test := range map[string]struct {
		dir   string
		files map[string]string
		want  string // "" if nothing is lacking
	}{
		"nothing is installed":     {"", map[string]string{"package.json": `{"dependencies": {"chalk": "5"}}`, "a.js": "import c from 'chalk'", "package-lock.json": ""}, "chalk is not installed; `npm ci` installs it"},
		"one is not":               {"", map[string]string{"package.json": `{"devDependencies": {"chalk": "5", "nanoid": "5"}}`, "a.js": "import c from 'chalk'\nrequire('nanoid/async')", "node_modules/chalk/package.json": "{}", "package-lock.json": ""}, "nanoid is not installed; `npm install` installs it"},
		"without a lock file":      {"", map[string]string{"package.json": `{"dependencies": {"chalk": "5"}}`, "a.js": "import 'chalk'"}, "chalk is not installed; `npm install` installs it"},
		"no file imports it":       {"", map[string]string{"package.json": `{"dependencies": {"chalk": "5"}}`, "a.js": "import 'node:fs'"}, ""},
		"no dependency":            {"", map[string]string{"package.json": `{}`, "a.js": "import 'chalk'"}, ""},
		"itself":                   {"", map[string]string{"package.json": `{"name": "chalk", "devDependencies": {"chalk": "4"}}`, "a.js": "import 'chalk'"}, ""},
		"a name that leads out":    {"", map[string]string{"package.json": `{"dependencies": {"../../x": "4"}}`, "a.js": "import '../../x'"}, ""},
		"Yarn without a folder":    {"", map[string]string{"package.json": `{"dependencies": {"chalk": "5"}}`, "a.js": "import 'chalk'", "yarn.lock": "", ".pnp.cjs": ""}, ""},
		"Yarn":                     {"", map[string]string{"package.json": `{"dependencies": {"chalk": "5"}}`, "a.js": "import 'chalk'", "yarn.lock": ""}, "chalk is not installed; `yarn install` installs it"},
		"a package of a workspace": {"packages/cli", map[string]string{"package.json": workspace, "package-lock.json": "", "packages/cli/package.json": `{"dependencies": {"@hours/core": "1"}}`, "packages/cli/src/main.ts": "import { total } from '@hours/core/sum'"}, "@hours/core is not installed; `npm ci` installs it"},
		"a linked one":             {"packages/cli", map[string]string{"package.json": workspace, "node_modules/@hours/core/package.json": "", "packages/cli/package.json": `{"dependencies": {"@hours/core": "1"}}`, "packages/cli/main.js": "import '@hours/core'"}, ""},
		"what the top names":       {"packages/cli", map[string]string{"package.json": `{"devDependencies": {"chai": "1"}}`, "pnpm-lock.yaml": "", "packages/cli/package.json": `{}`, "packages/cli/main.test.js": "import 'chai'"}, "chai is not installed; `pnpm install` installs it"},
		"another one imports it":   {"packages/core", map[string]string{"package.json": workspace, "packages/core/package.json": `{}`, "packages/cli/package.json": `{"dependencies": {"chalk": "1"}}`, "packages/cli/main.js": "import 'chalk'"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			for file, text := range test.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(top, file)), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(top, file), []byte(text), 0o600))
			}
			g := gate.In(test.dir, lacking{})
			require.Equal(t, test.want, gate.Preflight(t.Context(), g, folder(top)).String())
		})
	}
}

// lacking is a gate of a project with dependencies.
type lacking struct{ gate.Gate }

func (lacking) Preflight(_ context.Context, t gate.Tree) gate.Missing {
	p, err := Open(t)
	if err != nil {
		return gate.Missing{Program: err.Error()}
	}
	return p.LacksDependency()
}
