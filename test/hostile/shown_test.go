package hostile

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// acting changes the title of a terminal, colours it, and reorders text.
const acting = "\x1b]0;title\x07\x1b[31m\u202e\u009b"

// acts matches what acts on a terminal, but for the ends of lines of files.
var acts = regexp.MustCompile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")

// No command shows characters of names and texts of a folder, or of its path, that act on a terminal.
func TestCommands_ShowNothingThatActsOnATerminal(t *testing.T) {
	t.Parallel()
	f := newFolder(t, workspace{name: "acting", git: true, files: []txtar.File{
		{Name: "go.mod", Data: []byte("module m\n\ngo 1.26\n")},
		{Name: "a" + acting + ".go", Data: []byte("package m\n\n// Fee is " + acting + "\nfunc Fee() {}\n")},
		{Name: "d" + acting + "/a.py", Data: []byte("def fee" + acting + "(): pass\n")},
		{Name: ".forge/skills/s" + acting + "/SKILL.md", Data: []byte("---\nname: s" + acting + "\ndescription: d" + acting + "\n---\n" + acting + "\n")},
	}})
	root := f.root + acting
	require.NoError(t, os.Rename(f.root, root))
	f.root = root
	seen := 0
	for i, args := range append([][]string{{"trust", "."}}, commands()...) {
		if args[0] == "lsp" || i > 0 && testing.Short() && i%10 != 0 && args[0] != "runs" {
			continue // the protocol has JSON
		}
		c := exec.CommandContext(t.Context(), forge, args...)
		c.Dir, c.Env, c.Stdin = f.root, f.environ, strings.NewReader("")
		out, _ := c.CombinedOutput()
		require.NotRegexp(t, acts, string(out), "forge %v", args)
		if strings.Contains(string(out), `\u001b`) {
			seen++
		}
	}
	require.Positive(t, seen, "none shows the path of the folder")
	twin, err := exec.CommandContext(t.Context(), "ls", "-d", filepath.Clean(root)).Output()
	require.NoError(t, err)
	require.Regexp(t, acts, string(twin))
}
