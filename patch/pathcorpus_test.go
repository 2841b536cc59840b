package patch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// hostilePaths are ways of naming what no edit may create: git directories as file systems spell them, places outside of the root,
// names that systems take for devices, streams or other files, and names that do not show what they are.
func hostilePaths() (paths []string) {
	add := func(path string) { paths = append(paths, path) }
	for _, git := range []string{
		".git", ".GIT", ".Git", ".gIt", ".giT", ".GiT", ".git.", ".git..", ".git ", ".git . .", ".git::$INDEX_ALLOCATION", ".git:$I30:$INDEX_ALLOCATION", ".git::$DATA", ".git:x", "git~1", "GIT~1", "Git~1",
		".g\u200cit", ".\u200dgit", ".gi\u200et", "\u200f.git", ".git\u202a", ".g\u202eit", ".\u206agit", ".gi\u206ft", "\ufeff.git", ".git\ufeff",
	} {
		for _, place := range []string{"%s", "%s/config", "%s/hooks/pre-commit", "sub/%s/info/attributes", "a/b/%s/HEAD", "x/%s"} {
			add(fmt.Sprintf(place, git))
		}
	}
	for _, out := range []string{
		"..", "../a", "../../a", "a/..", "a/../..", "a/../../b", "./../a", "a/./../../b", "../.git/config", "/", "/a", "//a", "///a", "/etc/passwd", "//host/share/a", "/../a", "C:", "C:/a", "c:a", "z:/a", "C:../a",
		`a\b`, `..\a`, `\a`, `\\host\share`, `\\?\C:\a`, `\\.\pipe\x`, `C:\a`, `a/..\b`, ".", "./a", "a/", "a//b", "a/./b", "", "a/b/", "~\\a",
	} {
		add(out)
	}
	for _, control := range []string{"\x00", "\n", "\r", "\t", "\x1b", "\x7f", "\u0085", "\x01", "\x08", "\u009b"} {
		for _, place := range []string{"a%sb", "%sa", "a%s", "d%s/a"} {
			add(fmt.Sprintf(place, control))
		}
	}
	for _, bad := range []string{"a\xff", "\xc0\xae\xc0\xae/a", "a\xed\xa0\x80", "\xe2\x80"} {
		add(bad)
	}
	for _, device := range []string{"con", "prn", "aux", "nul", "com1", "com2", "com9", "lpt1", "lpt9", "conin$", "conout$", "clock$", "com0", "com¹", "lpt²"} {
		for _, form := range []string{"%s", "%s.txt", "%s.tar.gz", "src/%s.go", "%s/a", "%s .txt", "%s."} {
			add(fmt.Sprintf(form, device))
			add(fmt.Sprintf(form, strings.ToUpper(device)))
		}
	}
	for _, stream := range []string{"a.txt:s", "a.txt::$DATA", "a:b", "d:x/a", "a.go:Zone.Identifier", "d::$INDEX_ALLOCATION/a", "a.exe:"} {
		add(stream)
	}
	for _, name := range []string{
		"a.", "a..", "a ", "a. .", " a", "d./a", "d /a", "a.txt.", "a.txt ", "...", ".. ", ". ", ".env.", ".env ", "package.json.", "Makefile ", "a?b", "a*", "a|b", "a<b", "a>b", `a"b`, "a/b?c/d",
		"FORGE~1.YAM", "PROGRA~1", "A~1", "abc~2.txt", "GITHUB~1/workflows/x.yml", "NODE_M~1/x", "a~12345.c", "CLAUDE~1.MD", "MAKEFI~1",
		"e\u0301.txt", "A\u030a.go", "u\u0308/x", "\u212b.txt", "o\u0302\u0301.md", "\u1100\u1161.kt",
		"a\u200bb", "a\u200db", "\u2060a", "a\u00adb", "readme\u202etxt.exe", "a\u2066b", "\U000e0061x", "a\u2028b", "a\u2029b", "x\ue000", strings.Repeat("n", 256), "d/" + strings.Repeat("é", 128),
	} {
		add(name)
	}
	return paths
}

func TestCheckNew_RefusesHostilePaths(t *testing.T) {
	t.Parallel()
	paths := hostilePaths()
	require.Greater(t, len(paths), 500)
	seen := map[string]bool{}
	for _, path := range paths {
		require.False(t, seen[path], "%q is there twice", path)
		seen[path] = true
		var refused *patch.PathError
		require.ErrorAs(t, patch.CheckNew(path), &refused, "%q", path)
		require.NotEmpty(t, refused.Cause)
	}
	t.Logf("%d hostile paths, all refused", len(paths))
}

func TestCheckNew_AllowsOrdinaryNames(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"a", "main.go", "src/[id].tsx", "app/(shop)/@modal/page.tsx", "docs/ä ö ü.md", "日本語/読んで.txt", "한국어.md", "naïve.py", "a b c.txt", "a~b", "backup~", "v1~2~3.txt", "file.name.with.dots", ".gitignore",
		".gitattributes", ".github/x.yml", "gitx", "a.git/b", "console.go", "auxiliary.c", "nullable.ts", "com10.txt", "common.h", "lpt.txt", "con-fig.yaml", "a+b=c.txt", "#x#", "$x", "%41", "a,b;c", "{a}", "'q'",
		"..a", "a..b", "...a", "-x", "--", "_", "__init__.py", "@scope/x", "!x", "&x", "(x)", "é.txt", "Å.go", strings.Repeat("n", 255), "हिन्दी.txt", "ไทย.md", "עברית.txt", "long~12.texts",
	} {
		require.NoError(t, patch.CheckNew(path), "%q", path)
	}
}

// A file that is there may be changed whatever it is called; one that is not may not be created.
func TestCheckNew_IsForNewFilesOnly(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"drivers/aux.c", "ab:c.txt", "e\u0301.txt", "LONGNA~1.TXT"} {
		require.NoError(t, patch.CheckPath(path))
		require.Error(t, patch.CheckNew(path))
	}
}
