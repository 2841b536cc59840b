package world_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/sandbox"
	"forge/engine/tool"
	"forge/engine/world"
	"forge/internal/testkit"
)

// tree is a folder on disk.
type tree string

func (t tree) Dir() string { return string(t) }

func (t tree) ReadFile(path string) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(t), filepath.FromSlash(path)))
}

// put makes a tree of files.
func put(t *testing.T, files map[string]string) tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return tree(dir)
}

// programs is a PATH with programs that are shell scripts.
func programs(t *testing.T, scripts map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range scripts {
		testkit.WriteProgram(t, filepath.Join(dir, name), "#!/bin/sh\n"+text)
	}
	return []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + t.TempDir()}
}

func rename(t *testing.T, in tree, environ []string, r tool.Renaming, files map[string]string) tool.Renamed {
	t.Helper()
	r.Texts = files
	r.At = strings.Index(files[r.Path], r.Name)
	done, err := world.Servers{Runner: sandbox.New(sandbox.Options{Environ: environ}), Tree: in}.Rename(t.Context(), r)
	require.NoError(t, err)
	return done
}

var goFiles = map[string]string{"mod/go.mod": "module m\n\ngo 1.24\n", "mod/a.go": "package a\n\nfunc Total() int { return 1 }\n", "mod/b.go": "package a\n\nvar x = Total()\n"}

// Output of gopls is understood, also behind lines of its log.
func TestGopls_IsUnderstood(t *testing.T) {
	t.Parallel()
	asked := tool.Renaming{Language: codeintel.LanguageGo, Path: "mod/a.go", Name: "Total", To: "Sum"}
	for name, c := range map[string]struct {
		script string
		want   tool.Renamed
	}{
		"it renames": {`[ "$*" = "rename -w -l a.go:#16 Sum" ] || exit 9
sed -i s/Total/Sum/ a.go b.go; echo "$PWD/a.go"; echo "$PWD/b.go"`,
			tool.Renamed{By: "gopls", After: map[string]string{"mod/a.go": "package a\n\nfunc Sum() int { return 1 }\n", "mod/b.go": "package a\n\nvar x = Sum()\n"}}},
		"it refuses": {`echo "2026/01/01 Error: a log" >&2; echo "gopls: a.go:3:6: renaming this func" >&2; echo "	conflicts with func in same block" >&2; exit 2`,
			tool.Renamed{By: "gopls", Refused: "a.go:3:6: renaming this func conflicts with func in same block"}},
		"it cannot load": {`echo "2026/01/01 Error: initial load failed" >&2; echo "gopls: no package metadata for file" >&2; exit 2`,
			tool.Renamed{Why: "gopls failed: no package metadata for file"}},
		"it leads out": {`echo /etc/passwd`, tool.Renamed{By: "gopls", Refused: "it would change passwd, which is not a file of the folder that contains the name"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, rename(t, put(t, goFiles), programs(t, map[string]string{"gopls": c.script}), asked, goFiles))
		})
	}
	done := rename(t, put(t, goFiles), []string{"PATH=" + t.TempDir()}, asked, goFiles)
	require.Equal(t, "gopls is not installed: go install golang.org/x/tools/gopls@latest", done.Why)
	require.Zero(t, rename(t, put(t, goFiles), nil, tool.Renaming{Language: codeintel.LanguageJava, Path: "mod/a.go"}, goFiles))
}

// The real gopls, where it is installed: only what is meant has the new name, an interface and what satisfies it together.
func TestGopls_ForReal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("gopls is not installed: what it does is not tested here")
	}
	files := map[string]string{
		"go.mod": "module m\n\ngo 1.24\n",
		"a.go":   "package a\n\ntype Runner interface{ Run() }\n\ntype A struct{}\n\nfunc (A) Run() {}\n\nvar _ Runner = A{}\n",
		"b.go":   "package a\n\ntype B struct{ Run int }\n\nfunc f(r Runner, b B) int { r.Run(); return b.Run }\n",
	}
	done := rename(t, put(t, files), os.Environ(), tool.Renaming{Language: codeintel.LanguageGo, Path: "a.go", Name: "Run()", To: "Go"}, files)
	require.Equal(t, tool.Renamed{By: "gopls", After: map[string]string{
		"a.go": strings.ReplaceAll(files["a.go"], "Run()", "Go()"),
		"b.go": strings.ReplaceAll(files["b.go"], "r.Run()", "r.Go()"),
	}}, done)
	done = rename(t, put(t, files), os.Environ(), tool.Renaming{Language: codeintel.LanguageGo, Path: "b.go", Name: "B struct", To: "A"}, files)
	require.Contains(t, done.Refused, "conflicts with type in same block")
}

// answering is a tsserver that writes what it reads into a file, and answers to "rename" while its input is open.
func answering(heard, answer string) string {
	return fmt.Sprintf("while read -r line; do echo \"$line\" >> %s; case \"$line\" in *'\"rename\"'*) printf 'Content-Length: %d\\r\\n\\r\\n%%s' '%s';; esac; done\n", heard, len(answer), answer)
}

// The places of tsserver are put into the texts: columns count units of UTF-16, and what stands around a name is kept.
func TestTsserver_IsUnderstood(t *testing.T) {
	t.Parallel()
	files := map[string]string{"src/a.ts": "const größe = '😀'; const f = (total: number) => ({ total })\n", "b.py": "total = 1\n"}
	answer := `{"seq":0,"type":"response","command":"rename","request_seq":3,"success":true,"body":{"info":{"canRename":true},"locs":[{"file":"FILE","locs":[` +
		`{"start":{"line":1,"offset":53},"end":{"line":1,"offset":58},"prefixText":"total: "},{"start":{"line":1,"offset":32},"end":{"line":1,"offset":37}}]}]}}`
	asked := tool.Renaming{Language: codeintel.LanguageTypeScript, Path: "src/a.ts", Name: "total", To: "sum", Local: true}
	in := put(t, files)
	// Its program stands beside the tree, and node is a script that prints what is said to it into a file.
	elsewhere := t.TempDir()
	program := filepath.Join(elsewhere, "lib", "tsserver.js")
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o755))
	require.NoError(t, os.WriteFile(program, nil, 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(string(in), "node_modules"), 0o755))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(string(in), "node_modules", "typescript")))
	heard := filepath.Join(t.TempDir(), "heard")
	node := answering(heard, strings.ReplaceAll(answer, "FILE", filepath.Join(string(in), "src/a.ts")))
	done := rename(t, in, programs(t, map[string]string{"node": node}), asked, files)
	require.Equal(t, map[string][]codeintel.Span{"src/a.ts": {{Start: 35, End: 40}, {Start: 56, End: 61}}}, done.Places)
	done.Places, done.Assumed, done.Left = nil, nil, nil
	require.Equal(t, tool.Renamed{By: "tsserver", After: map[string]string{"src/a.ts": "const größe = '😀'; const f = (sum: number) => ({ total: sum })\n"}}, done)
	said, err := os.ReadFile(heard)
	require.NoError(t, err)
	require.Contains(t, string(said), `"providePrefixAndSuffixTextForRename":true`)
	require.Contains(t, string(said), `"line":1,"offset":32`)
	require.NotContains(t, string(said), "b.py")

	refusing := answering(heard, `{"type":"response","command":"rename","request_seq":3,"success":true,"body":{"info":{"canRename":false,"localizedErrorMessage":"You cannot rename this element."}}}`)
	done = rename(t, in, programs(t, map[string]string{"node": refusing}), asked, files)
	require.Equal(t, tool.Renamed{By: "tsserver", Refused: "You cannot rename this element."}, done)
	done = rename(t, put(t, files), programs(t, nil), asked, files)
	require.Equal(t, "typescript is not installed in the project", done.Why)
}
