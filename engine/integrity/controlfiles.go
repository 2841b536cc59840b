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
		[]string{
			"*.code-workspace", ".nvim.lua", ".nvimrc", ".exrc", ".vimrc", ".gvimrc", ".lvimrc", "_vimrc", ".dir-locals*.el", ".projectile", "*.sublime-project",
			".ycm_extra_conf.py", ".vimspector.json", ".luarc.json*", ".replit",
			".lvim.lua", ".lazy.lua", ".neoconf.json", ".emmyrc.json", ".kateproject*", ".project", ".factorypath", "*.ipr", ".stackblitzrc",
		},
		[]string{
			".vscode", ".idea", ".fleet", ".zed", ".helix", ".vs", ".nova", ".vim", ".nvim", ".settings",
			".externaltoolbuilders", ".run", ".bsp", ".lsp", ".clj-kondo", ".nlsp-settings", ".theia", ".lapce", ".codesandbox", "nbproject/private",
		},
	},
	{
		ControlAsk, "a development container is built and started from it",
		[]string{".devcontainer.json", ".gitpod.yml", ".gitpod.yaml", ".gitpod.dockerfile", "devfile.yaml", ".devfile.yaml", "devbox.json"}, []string{".devcontainer", ".idx", ".daytona", ".binder", ".gitpod"},
	},
	{
		ControlAsk, "models and agents take it as instructions, so that it steers what the next one does",
		[]string{
			"agents.md", "agents.*.md", "agent.md", "claude.md", "claude.*.md", "gemini.md", "copilot-instructions.md", ".cursorrules", ".windsurfrules",
			".clinerules", ".roorules", ".goosehints", ".aider.conf.yml", ".aider*.yml", "opencode.json", "mcp*.json", ".mcp*.json",
			"crush.md", ".crush.json", "crush.json", "qwen.md", "warp.md", "replit.md", ".rules", ".augment-guidelines",
			"skill.md", "*.instructions.md", "*.prompt.md", "*.chatmode.md", "*.agent.md", "opencode.jsonc", "*.mcp.json", "*mcp_settings.json", ".claude.json", "claude_desktop_config.json",
			"gemini-extension.json", ".clinerules-*", ".roorules-*", ".roomodes", ".kilocodemodes", ".openhands_instructions", ".coderabbit.y*ml", ".pr_agent.toml", ".sweep.y*ml", "greptile.json",
		},
		[]string{
			".cursor", ".claude", ".codex", ".gemini", ".windsurf", ".clinerules", ".roo", ".continue", ".kiro", ".amazonq", ".opencode", ".agents", ".junie", ".trae", ".augment", ".aiassistant",
			".qodo", ".qwen", ".crush", ".factory", ".goose",
			".agent", ".mcp", ".openhands", ".cline", ".kilocode", ".copilot", ".github/copilot", ".claude-plugin", ".cursor-plugin", ".antigravity", ".firebender", ".rulesync", ".ruler", ".devin", ".jules",
			".github/instructions", ".github/prompts", ".github/agents", ".github/chatmodes", ".github/hooks", ".github/skills", ".github/plugins",
		},
	},
	{
		ControlAsk, "a build machine executes it, with the rights and secrets of the project",
		[]string{
			".gitlab-ci.yml", ".travis.yml", "azure-pipelines*.yml", "jenkinsfile", ".drone.yml", "bitbucket-pipelines.yml", ".woodpecker.yml", ".cirrus.yml",
			"appveyor.yml", ".appveyor.yml", "cloudbuild.yaml", "buildspec.y*ml", ".readthedocs.y*ml", "netlify.toml", "vercel.json",
			".gitlab-ci*.yml", "azure-pipelines*.yaml", "jenkinsfile.*", "*.jenkinsfile", ".drone.*", ".cirrus.*", ".build.yml", ".travis.yaml", "cloudbuild.yml", "cloudbuild.json", "codemagic.yaml",
			"bitrise.yml", "wercker.yml", ".zuul.yaml", "zuul.yaml", "render.yaml", "fly.toml", "heroku.yml", "amplify.yml", "wrangler.toml", "wrangler.json*", "firebase.json", "now.json", "railway.json",
			"railway.toml", "nixpacks.toml", ".packit.y*ml", "action.yml", "action.yaml", ".space.kts",
		},
		[]string{
			".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".circleci", ".buildkite", ".woodpecker", ".gitlab/ci", ".semaphore", ".teamcity", ".builds", ".tekton", ".azure-pipelines", ".azuredevops",
			".zuul.d", "zuul.d", ".harness", ".ebextensions", ".ci",
		},
	},
	{
		ControlAsk, "it decides who approves changes of the project, or which changes are made by machines",
		[]string{"codeowners", "dependabot.y*ml", "renovate.json*", ".renovaterc*", "owners", "owners_aliases", ".mergify.yml", ".asf.yaml", "bors.toml", ".bulldozer.yml", ".policy.yml", ".probot.yml"}, []string{".mergify"},
	},
	{
		ControlAsk, "a version control system executes programs that it names",
		[]string{".hgrc", ".arcconfig", ".reviewboardrc", ".gclient", ".p4config"}, []string{".hg", ".svn", ".jj", ".sl", ".bzr", "_darcs", ".pijul", ".fossil-settings", ".repo"},
	},
	{
		ControlAsk, "an interpreter, a debugger or a database client executes it when it starts here",
		[]string{
			".rprofile", ".renviron", ".gdbinit", ".lldbinit*", ".irbrc", ".pryrc", ".pdbrc*", ".ghci", ".iex.exs", ".psqlrc", ".sqliterc", ".mongorc.js", ".octaverc", ".radare2rc",
			".gdbearlyinit", ".perldb", ".ocamlinit", ".utoprc", ".byebugrc", ".rdbgrc", ".mongoshrc.js", ".erlang", ".user.ini", ".htaccess", "startup.m", ".guile",
		},
		nil,
	},
	{
		ControlAsk, "git executes programs that it names, or a hook of git does",
		[]string{
			".gitattributes", ".gitmodules", ".gitconfig", ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook*.yml", "lefthook*.yaml", "lefthook*.toml",
			".lefthook*.yml", ".overcommit.yml", ".lintstagedrc*",
			".lefthook*.yaml", ".lefthook*.toml", ".lefthook*.json*", "lefthook*.json*", ".simple-git-hooks*", "simple-git-hooks*", ".huskyrc*", "husky.config.*", ".pre-commit-hooks.yaml", "prek.toml",
			".git-credentials", ".gitreview",
		},
		[]string{".husky", ".githooks", ".git-hooks", ".lefthook", ".yorkie", ".config/git"},
	},
	{
		ControlAsk, "a shell executes it, or takes secrets and settings from it",
		[]string{
			".env", ".env.*", ".envrc", ".envrc.*", ".flaskenv", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
			".zlogin", ".inputrc", ".mise.toml", "mise.toml", ".mise.*.toml", ".netrc", "_netrc", ".autoenv*",
			".env-*", ".env_*", ".dev.vars*", ".rbenv-vars", ".rvmrc", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".zlogout", ".xprofile", ".xinitrc", ".xsession*", ".tmux.conf", ".screenrc",
			"mise.*.toml", ".powenv", ".powrc", ".curlrc", "_curlrc", ".wgetrc", "crontab",
		},
		[]string{
			".direnv", ".mise", ".config/mise", "mise-tasks", ".mise-tasks", ".ssh", ".aws", ".gnupg", ".docker", ".kube", ".config/fish", ".config/autostart", ".config/systemd", ".config/environment.d", "launchagents",
		},
	},
	{
		ControlAsk, "it sets where packages come from, or runs code when they are installed",
		[]string{
			".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.*", "pnpmfile.*", "bunfig.toml", ".pypirc", "pip.conf", "pip.ini", "nuget.config", ".gemrc", ".condarc",
			".pnpmrc", "pnpm-workspace.yaml", "uv.toml", "poetry.toml", ".pydistutils.cfg", ".bazeliskrc", ".sdkmanrc", "dotnet-tools.json", "paket.dependencies", "ivysettings.xml",
		},
		[]string{".yarn", ".cargo", ".bundle", ".mvn", ".m2", ".pip", ".config/pip", ".config/uv", ".paket"},
	},
	{
		ControlAsk, "Python executes it whenever it starts here, before any other code",
		[]string{"sitecustomize.py", "usercustomize.py", "*.pth"}, nil,
	},
	{
		ControlLook, "it is executed when the project is built, tested or installed",
		[]string{
			"makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile*.y*ml", "rakefile", "magefile.go", "conftest.py", "setup.py", "noxfile.py", "tox.ini",
			"build.rs", "build.zig", "gradlew", "gradlew.bat", "mvnw", "gulpfile.*", "gruntfile.*", "dockerfile", "*.dockerfile", "containerfile", "compose.y*ml",
			"docker-compose*.y*ml", "procfile", "rust-toolchain", "rust-toolchain.toml", ".tool-versions", ".bazelrc", ".python-version",
			"*.config.js", "*.config.?js", "*.config.ts", "*.config.?ts", ".eslintrc.*js", ".prettierrc.*js", ".babelrc.*js", "build.gradle*", "settings.gradle*", "init.gradle*", "pom.xml",
			"cmakelists.txt", "*.cmake", "workspace", "workspace.bazel", "module.bazel", "build.bazel", "*.bzl", "flake.nix", "shell.nix", "default.nix", "vagrantfile", "tiltfile", "earthfile",
			"brewfile", "*.desktop", "autorun.inf", "desktop.ini", "skaffold.y*ml", ".air.toml", ".goreleaser.y*ml", ".actrc", "ansible.cfg",
			"makefile.am", "makefile.in", "makefile.inc", "*.mak", "configure", "configure.ac", "meson.build", "sconstruct", "sconscript", "wscript", "build.xml", "build.sbt", "build.sc", "cmakepresets.json", "cmakeuserpresets.json",
			"directory.*.props", "directory.*.targets", "*.targets", "*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj", "*.sln", "global.json", "gradle.properties", "package.swift", "gemfile", "guardfile", "podfile", "fastfile",
			"*.gemspec", "mix.exs", "rebar.config", "project.clj", "deps.edn", "stack.yaml", "cabal.project", "dune", "project.pbxproj", "*.xcscheme", "*.xcconfig", "composer.json", "pipfile", "setup.cfg", "pixi.toml",
			"environment.y*ml", "fabfile.py", "dodo.py", "snakefile", "pavement.py", "deno.json*", "turbo.json", "nx.json", "lerna.json", "devenv.nix", "replit.nix", "app.json", "serverless.y*ml", "pylintrc",
			"pytest.ini", "plugins.sbt",
		},
		[]string{"gradle/wrapper", "nbproject"},
	},
	{
		ControlNone, "", []string{
			".*ignore", ".gitkeep", ".keep", ".mailmap", ".editorconfig", ".git-blame-ignore-revs", ".nojekyll",
			"issue_template*.md", "pull_request_template*.md", "readme.md", "contributing.md", "code_of_conduct.md", "security.md", "support.md", "funding.yml",
		},
		[]string{".github/issue_template", ".github/pull_request_template", ".github/discussion_template"},
	},
}

// isHiddenName reports whether a name, or a folder on the way, begins with a period: by custom tools read it, and users do not. No list
// has all of them.
func isHiddenName(parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return len(part) > 1 && part[0] == '.' })
}
