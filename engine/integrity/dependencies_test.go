package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestAdded_NamesNewPackages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, before, after string
		want                []string
	}{
		{"go.mod", "module a\n\nrequire x.org/b v1.0.0\n", "module a\n\nrequire (\n\tx.org/b v1.1.0\n\tgithub.com/e/vil v0.1.0 // indirect\n)\n", []string{"github.com/e/vil"}},
		{"sub/package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"2"},"devDependencies":{"@s/b":"1"},"optionalDependencies":{"c":"*"}}`, []string{"@s/b", "c"}},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"devDependencies":{"a":"1"}}`, nil},
		{"Cargo.toml", "[dependencies]\nserde = \"1\"\n", "[dependencies]\nserde = \"1\"\nz = { package = \"zlib-rs\", version = \"1\" }\n[target.'cfg(unix)'.dev-dependencies]\nlibc = \"0.2\"\n", []string{"libc", "zlib-rs"}},
		{"pyproject.toml", "[project]\ndependencies = [\"attrs>=1\"]\n", "[project]\ndependencies = [\"attrs>=2\", \"Reqeusts[socks] ; python_version > '3'\"]\n[dependency-groups]\ntest = [\"py_test\"]\n[build-system]\nrequires = [\"hatchling\"]\n", []string{"hatchling", "py-test", "reqeusts"}},
		{"pyproject.toml", "", "[tool.poetry.dependencies]\npython = \"^3\"\nnumpy = \"^2\"\n[tool.poetry.group.dev.dependencies]\nruff = { version = \"1\" }\n", []string{"numpy", "ruff"}},
		{"requirements-dev.txt", "a==1\n", "# comment\na==2\n-r other.txt\nb>=1\nc ~= 1\n", []string{"b", "c"}},
		{"notes.txt", "", "b>=1\n", nil},
		{"package.json", "", "{", nil},
	} {
		change := patch.FileChange{Kind: patch.Update, Path: tt.path, Before: tt.before, After: tt.after}
		require.ElementsMatch(t, tt.want, Added(change), "%s: %s", tt.path, tt.after)
		if len(tt.want) > 0 {
			v := ControlOf(change)
			require.Equal(t, ControlLook, v.Level)
			require.Contains(t, v.Reason, tt.want[0])
		}
	}
}

func TestUnlocked_KnowsThePackagesOfLockFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package-lock.json": `{"packages":{"":{"dependencies":{"a":"1"}},"node_modules/left-pad":{},"node_modules/@s/b":{}}}`,
		"web/yarn.lock":     "ms@^2.0.0:\n  version \"2.1.3\"\n",
		"go.sum":            "x.org/b v1.0.0 h1:abc=\n",
		"Cargo.lock":        "[[package]]\nname = \"serde\"\n",
		"uv.lock":           "[[package]]\nname = \"attrs\"\n",
	}
	read := func(path string) (string, bool) { text, ok := files[path]; return text, ok }
	for _, tt := range []struct {
		manifest    string
		names, want []string
	}{
		{"package.json", []string{"a", "left-pad", "@s/b", "b", "pad", "left-pads", "ms"}, []string{"b", "pad", "left-pads", "ms"}},
		{"web/package.json", []string{"ms", "left-pad", "debug"}, []string{"debug"}},
		{"sub/deep/go.mod", []string{"x.org/b", "x.org/bc", "org/b"}, []string{"x.org/bc", "org/b"}},
		{"Cargo.toml", []string{"serde", "serde-evil"}, []string{"serde-evil"}},
		{"requirements.txt", []string{"attrs", "atrs"}, []string{"atrs"}},
		{"lib/Gemfile", []string{"a"}, nil},
	} {
		require.Equal(t, tt.want, Unlocked(tt.manifest, tt.names, read), tt.manifest)
	}
}

// origin is a change of a file that may name where packages come from.
type origin struct {
	path, before, after string
	want                ControlLevel
}

func judged(t *testing.T, all []origin) {
	t.Helper()
	for _, tt := range all {
		v := ControlOf(patch.FileChange{Kind: patch.Update, Path: tt.path, Before: tt.before, After: tt.after})
		require.Equal(t, tt.want, v.Level, "%s: %s: %s", tt.path, tt.after, v.Reason)
	}
}

func TestControl_AsksAboutOtherHostsOfLockFiles(t *testing.T) {
	t.Parallel()
	lock := func(host string) string { return `{"a":{"resolved":"https://` + host + `/a.tgz"}}` }
	judged(t, []origin{
		{"package-lock.json", lock("registry.npmjs.org"), lock("evil.example"), ControlAsk},
		{"package-lock.json", lock("registry.npmjs.org"), lock("registry.npmjs.org") + "\n", ControlNone},
		{"package-lock.json", "", lock("registry.npmjs.org"), ControlNone},
		{"docs/links.json", lock("a.org"), lock("b.org"), ControlNone},
		{"package-lock.json", lock("registry.npmjs.org"), `{"a":{"resolved":"\u0068ttps:\/\/evil.example/a.tgz"}}`, ControlAsk},
		{"yarn.lock", "resolved \"https://registry.yarnpkg.com/a\"\n", "resolved \"git@evil.example:a.git\"\n", ControlAsk},
	})
}

func TestControl_AsksAboutOtherOriginsOfPackages(t *testing.T) {
	t.Parallel()
	const from = "https://evil.example/a"
	cargo := func(dependency string) string {
		return "[package]\nname = \"p\"\nrepository = \"" + from + "\"\n[dependencies]\na = " + dependency + "\n"
	}
	project := func(more string) string {
		return "[project]\nname = \"p\"\ndependencies = [\"a\"]\n[project.urls]\nhome = \"" + from + "\"\n" + more
	}
	judged(t, []origin{
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"` + from + `"}}`, ControlAsk},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"npm:evil@1"}}`, ControlAsk},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"evil/a#main"}}`, ControlAsk},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"file:/tmp/evil"}}`, ControlAsk},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"1"},"overrides":{"b":{"a":"npm:evil@1"}}}`, ControlAsk},
		{"package.json", `{"dependencies":{"a":"1"}}`, `{"dependencies":{"a":"workspace:*"},"homepage":"` + from + `","overrides":{"a":"2"}}`, ControlNone},
		{"package.json", `{"dependencies":{"a":"` + from + `"}}`, `{"dependencies":{"a":"` + from + `"},"version":"2"}`, ControlNone},
		{"requirements.txt", "a==1\n", "--index-url " + from + "\na==1\n", ControlAsk},
		{"requirements.txt", "a==1\n", "a @ " + from + ".whl\n", ControlAsk},
		{"requirements.txt", "a==1\n", "# " + from + "\na==2\n", ControlNone},
		{"Cargo.toml", cargo(`"1"`), cargo(`{ git = "` + from + `" }`), ControlAsk},
		{"Cargo.toml", cargo(`"1"`), cargo("\"1\"\n[patch.crates-io]\na = { path = \"evil\" }"), ControlAsk},
		{"Cargo.toml", cargo(`"1"`), cargo(`{ path = "../a", version = "2" }`), ControlNone},
		{"Cargo.toml", cargo(`"1"`), cargo(`{ path = "../../../a" }`), ControlAsk},
		{"pyproject.toml", project(""), project("[[tool.uv.index]]\nurl = \"" + from + "\"\n"), ControlAsk},
		{"pyproject.toml", project(""), project("[[tool.poetry.source]]\nurl = \"" + from + "\"\n"), ControlAsk},
		{"pyproject.toml", project(""), project("[tool.uv.sources]\na = { git = \"" + from + "\" }\n"), ControlAsk},
		{"pyproject.toml", project(""), project("[build-system]\nrequires = [\"a @ " + from + "\"]\n"), ControlAsk},
		{"pyproject.toml", project(""), project("[tool.docs]\nsite = \"" + from + "\"\n"), ControlNone},
		{"Gemfile", "gem 'a'\n", "gem 'a', git: '" + from + "'\n", ControlAsk},
		{"go.mod", "module a\n", "module a\n\nreplace x.org/b => ../b\n", ControlAsk},
		{"go.mod", "module a\n\nreplace x.org/b => ../b\n", "module a\n\ngo 1.26\n\nreplace x.org/b => ../b\n", ControlNone},
	})
}
