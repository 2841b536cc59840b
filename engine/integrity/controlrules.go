package integrity

import (
	"path"
	"slices"
	"strings"
)

// rule is one kind of control file. Names are in lower case.
type rule struct {
	level   ControlLevel
	reason  string
	names   []string // of files, at any depth; * matches anything
	folders []string // everything below a folder of this name, which may have several parts: ".github/workflows"
}

func (r rule) matches(folded string, parts []string) bool {
	base := parts[len(parts)-1]
	byName := slices.ContainsFunc(r.names, func(pattern string) bool {
		fits, _ := path.Match(pattern, base)
		return fits
	})
	return byName || slices.ContainsFunc(r.folders, func(folder string) bool {
		return strings.Contains("/"+folded, "/"+folder+"/")
	})
}

// rules are checked in order; the first match counts.
var rules = []rule{
	{
		ControlAsk, "editors execute it, or run programs that it names, when the folder is opened",
		[]string{"*.code-workspace", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".gvimrc", ".lvimrc", ".dir-locals*.el", ".projectile", "*.sublime-project"},
		[]string{".vscode", ".idea", ".fleet", ".zed", ".helix", ".vs", ".nova", ".vim", ".nvim", ".settings"},
	},
	{
		ControlAsk, "a development container is built and started from it",
		[]string{".devcontainer.json", ".gitpod.yml", ".gitpod.yaml", ".gitpod.dockerfile"}, []string{".devcontainer"},
	},
	{
		ControlAsk, "models and agents take it as instructions, so that it steers what the next one does",
		[]string{
			"agents.md", "agents.*.md", "agent.md", "claude.md", "claude.*.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules",
			".clinerules", ".roorules", ".goosehints", ".aider.conf.yml", ".aider*.yml", "opencode.json", "mcp*.json", ".mcp*.json",
		},
		[]string{
			".cursor", ".claude", ".codex", ".gemini", ".windsurf", ".clinerules", ".roo", ".continue", ".kiro", ".amazonq", ".opencode", ".agents",
			".github/instructions", ".github/prompts", ".github/agents", ".github/chatmodes",
		},
	},
	{
		ControlAsk, "a build machine executes it, with the rights and secrets of the project",
		[]string{
			".gitlab-ci.yml", ".travis.yml", "azure-pipelines*.yml", "jenkinsfile", ".drone.yml", "bitbucket-pipelines.yml", ".woodpecker.yml", ".cirrus.yml",
			"appveyor.yml", ".appveyor.yml", "cloudbuild.yaml",
		},
		[]string{
			".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".circleci", ".buildkite", ".woodpecker", ".gitlab/ci",
		},
	},
	{
		ControlAsk, "git executes programs that it names, or a hook of git does",
		[]string{
			".gitattributes", ".gitmodules", ".gitconfig", ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook*.yml", "lefthook*.yaml", "lefthook*.toml",
			".lefthook*.yml", ".overcommit.yml", ".lintstagedrc*",
		},
		[]string{".husky", ".githooks", ".git-hooks", ".lefthook"},
	},
	{
		ControlAsk, "a shell executes it, or takes secrets and settings from it",
		[]string{
			".env", ".env.*", ".envrc", ".envrc.*", ".flaskenv", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
			".zlogin", ".inputrc", ".mise.toml", "mise.toml", ".mise.*.toml", ".netrc", "_netrc", ".autoenv*",
		},
		[]string{".direnv", ".mise", ".ssh", ".aws", ".gnupg", ".docker"},
	},
	{
		ControlAsk, "it says where packages come from, or runs code when they are installed",
		[]string{
			".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.*", "pnpmfile.*", "bunfig.toml", ".pypirc", "pip.conf", "pip.ini", "nuget.config", ".gemrc", ".condarc",
		},
		[]string{".yarn", ".cargo", ".bundle", ".mvn"},
	},
	{
		ControlAsk, "Python executes it whenever it starts here, before any other code",
		[]string{"sitecustomize.py", "usercustomize.py", "*.pth"}, nil,
	},
	{
		ControlLook, "it is executed when the project is built, tested or installed",
		[]string{
			"makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile.y*ml", "rakefile", "magefile.go", "conftest.py", "setup.py", "noxfile.py", "tox.ini",
			"build.rs", "build.zig", "gradlew", "gradlew.bat", "mvnw", "gulpfile.*", "gruntfile.*", "dockerfile", "*.dockerfile", "containerfile", "compose.y*ml",
			"docker-compose*.y*ml", "procfile", "rust-toolchain", "rust-toolchain.toml", ".tool-versions", ".bazelrc", ".python-version",
		},
		[]string{"gradle/wrapper"},
	},
}
