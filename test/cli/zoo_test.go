package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// zoo is a module with all that a folder may hold beside plain files.
func zoo() map[string]string {
	return map[string]string{
		"go.mod":                        "module example.com/zoo\n\ngo 1.24\n\nrequire example.com/dep v1.0.0\n",
		"vendor/modules.txt":            "# example.com/dep v1.0.0\n## explicit; go 1.24\nexample.com/dep\n",
		"vendor/example.com/dep/dep.go": "package dep\nfunc   One() int { return 1 }\n",
		"crlf.go":                       "package zoo\r\n\r\n// Legs counts.\r\nfunc Legs() int { return 4 }\r\n",
		"bare.go":                       "package zoo\n\n// Eyes counts.\nfunc Eyes() int { return 2 }",
		"größe.go":                      "package zoo\n\nimport \"example.com/dep\"\n\n// Größe is one.\nfunc Größe() int { return dep.One() }\n",
		"zoo_test.go":                   "package zoo\n\nimport \"testing\"\n\nfunc TestLegs(t *testing.T) {\n\tif Legs() != 4 {\n\t\tt.Fatal(Legs())\n\t}\n}\n",
		"testdata/broken.go":            "package   ?\n",
		"docs/日本語.txt":                  "動物\n",
		"name with spaces.md":           "# Zoo\n",
		"image.bin":                     "\x00\xff\xfe\x00binary\x00",
		"bom.txt":                       "\ufeffmarked\r\n",
		"empty.txt":                     "",
		"sub/deep/er/file.txt":          "deep\r\nmixed\nends\r",
	}
}

const zooScript = decideExecutor + `
- match: {node: executor, contains: [You write tests]}
  reply:
    json:
      explanation: "Five legs, three eyes, size two; zoo_test.go promises four legs, and they become five."
      files: [{path: more_test.go, action: create, content: "package zoo\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {\n\tif Legs()+Eyes()+Größe() != 10 {\n\t\tt.Fatal(Legs(), Eyes(), Größe())\n\t}\n}\n"}]
      patch: |
        *** Begin Patch
        *** Update File: zoo_test.go
        @@
        -	if Legs() != 4 {
        +	if Legs() != 5 {
        *** End Patch
      blocked: ""
- match: {node: executor, contains: [You implement a change, größe.go]}
  reply:
    json:
      explanation: More of everything.
      files: []
      patch: |
        *** Begin Patch
        *** Update File: crlf.go
        @@
        -func Legs() int { return 4 }
        +func Legs() int { return 5 }
        *** Update File: bare.go
        @@
        -func Eyes() int { return 2 }
        +func Eyes() int { return 3 }
        *** Update File: größe.go
        @@
        -func Größe() int { return dep.One() }
        +func Größe() int { return 2 * dep.One() }
        *** Update File: docs/日本語.txt
        @@
        -動物
        +動物園
        *** Update File: name with spaces.md
        @@
        -# Zoo
        +# The zoo
        *** Delete File: empty.txt
        *** End Patch
      blocked: ""` + reviewPass

// Line ends, missing ends, names of all kinds, vendored packages and links are as they were, but for what
// was changed; and the undo brings every byte back.
func TestRun_PreservesLineEndingsNamesAndLinks(t *testing.T) {
	t.Parallel()
	w := scripted(t, zooScript, zoo())
	require.NoError(t, os.Symlink("crlf.go", filepath.Join(w.root, "link")))
	require.NoError(t, os.Symlink("/nowhere/at/all", filepath.Join(w.root, "dangling")))
	require.NoError(t, os.WriteFile(filepath.Join(w.root, "tool.sh"), []byte("#!/bin/sh\n"), 0o755))
	before := deepTexts(t, w.root)

	code, stdout, stderr := w.run("run", "--trust", "--yes", "--json", "more legs for crlf bare größe 日本語 spaces, as zoo_test.go will ask for")
	require.Zero(t, code, stdout+stderr)
	w.played()
	want := map[string]string{}
	for name, text := range before {
		want[name] = text
	}
	want["crlf.go"] = strings.Replace(before["crlf.go"], "return 4", "return 5", 1)
	want["bare.go"] = strings.Replace(before["bare.go"], "return 2", "return 3", 1)
	want["größe.go"] = strings.Replace(before["größe.go"], "return dep", "return 2 * dep", 1)
	want["docs/日本語.txt"], want["name with spaces.md"] = "動物園\n", "# The zoo\n"
	want["zoo_test.go"] = strings.Replace(before["zoo_test.go"], "!= 4", "!= 5", 1)
	after := deepTexts(t, w.root)
	want["more_test.go"] = after["more_test.go"]
	delete(want, "empty.txt")
	require.Equal(t, want, after)
	suite := exec.Command("go", "test", "./...")
	suite.Dir = w.root
	out, err := suite.CombinedOutput()
	require.NoError(t, err, string(out))

	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Equal(t, before, deepTexts(t, w.root))
}

// A module of three hundred files is read, checked, changed in one place and restored.
func TestRun_HandlesThreeHundredFiles(t *testing.T) {
	t.Parallel()
	files := sumModule()
	for i := range 300 {
		files[fmt.Sprintf("p%d/f%03d.go", i%10, i)] = fmt.Sprintf("package p%d\n\n// F%03d is %d.\nfunc F%03d() int { return %d }\n", i%10, i, i, i, i)
	}
	w := scripted(t, whole, files)
	w.git("init", "--quiet")
	before := deepTexts(t, w.root)
	code, stdout, stderr := w.run("run", "--trust", "--yes", "--json", "add Add")
	require.Zero(t, code, stdout+stderr)
	w.played()
	after := deepTexts(t, w.root)
	require.Len(t, after, len(before)+2)
	code, _, stderr = w.run("undo", "--yes")
	require.Zero(t, code, stderr)
	require.Equal(t, before, deepTexts(t, w.root))
}

// deepTexts are all files below a folder with their modes, links as what they point at.
func deepTexts(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if entry.Type() == os.ModeSymlink {
			target, err := os.Readlink(path)
			found[rel] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		found[rel] = string(data)
		if info, err := entry.Info(); err == nil && info.Mode().Perm()&0o111 != 0 {
			found[rel] += "(executable)"
		}
		return err
	}))
	return found
}
