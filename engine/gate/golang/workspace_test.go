package golang

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func TestRoots_AreTheFoldersOfProjects(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		paths []string
		work  string // the text of each go.work; it cannot be read if empty
		roots []string
	}{
		"a module":                         {[]string{"a.go", "go.mod"}, "", []string{""}},
		"modules in folders":               {[]string{"api/a.go", "api/go.mod", "go.mod", "web/package.json"}, "", []string{"", "api"}},
		"a folder that is kept out":        {[]string{"a.go", "go.mod", "web/go.mod", "web/index.js"}, "", []string{""}},
		"a workspace holds them":           {[]string{"go.work", "tools/go.mod", "x/go.mod"}, "", []string{""}},
		"a workspace in a folder":          {[]string{"b/go.work", "b/x/go.mod", "bb/go.mod"}, "", []string{"b", "bb"}},
		"data of tests":                    {[]string{"go.mod", "x/testdata/m/go.mod"}, "", []string{""}},
		"no module":                        {[]string{"a.go"}, "", nil},
		"all are listed":                   {[]string{"go.work", "tools/go.mod", "x/go.mod"}, "go 1.24\n\nuse (\n\t./tools // of ours\n\t\"x\"\n)\n", []string{""}},
		"one is not listed":                {[]string{"go.work", "tools/go.mod", "x/go.mod"}, "use ./x\n// use ./tools\n", []string{"", "tools"}},
		"one in a folder is not listed":    {[]string{"b/go.work", "b/x/go.mod", "b/y/go.mod"}, "use(\n./y\n)\n", []string{"b", "b/x"}},
		"one in place of another is not":   {[]string{"go.work", "lib/go.mod", "x/go.mod"}, "use ./x\n\nreplace example.com/lib => ./lib\n", []string{"", "lib"}},
		"that of its folder is listed":     {[]string{"go.mod", "go.work", "x/go.mod", "x/x.go"}, "use .\nuse ./x\n", []string{""}},
		"that of its folder is not listed": {[]string{"go.mod", "go.work", "x/go.mod", "x/x.go", "y/go.mod", "y/y.go"}, "use ./x\n", []string{"", "x", "y"}},
		"nothing is listed":                {[]string{"go.work", "x/go.mod"}, "go 1.24\n", []string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.roots, Language(machine()).Roots(tt.paths, func(p string) ([]byte, error) {
				require.Contains(t, p, "go.work")
				if tt.work == "" {
					return nil, fs.ErrPermission
				}
				return []byte(tt.work), nil
			}))
		})
	}
}

const (
	listsX  = "-- x/go.mod --\nmodule example.com/x\n\ngo 1.24\n-- x/x.go --\npackage x\n\n// X is one.\nconst X = 1\n"
	unknown = "const Y = X\n" // does not compile
)

// A module that the workspace around it does not list is checked, and without that: the go command refuses to do it there.
func TestWorkspace_ModulesThatItDoesNotListAreChecked(t *testing.T) {
	t.Parallel()
	const tools = "-- go.work --\ngo 1.24\n\nuse (\n\t.\n\t./x\n)\n-- go.mod --\nmodule example.com/m\n\ngo 1.24\n-- m.go --\npackage m\n" + listsX +
		"-- tools/go.mod --\nmodule example.com/tools\n\ngo 1.24\n-- tools/t.go --\npackage tools\n\n"
	change := gate.Scope{Changed: []string{"tools/t.go"}, Reach: gate.ReachWide}
	for _, name := range []string{nameBuild, nameVet} {
		in := gate.In("tools", gateNamed(name))
		tree := write(t, tools)
		report := gate.RunIn(t.Context(), in, tree, change)
		require.Equal(t, gate.Pass, report.Verdict, report.Summary)
		require.Equal(t, gate.Fail, gate.RunIn(t.Context(), in, write(t, tools+unknown), change).Verdict, "the twin")
		require.False(t, gate.Concerned(gateNamed(name), tree, change.Changed), "the workspace is compiled without it")
		require.False(t, gate.Concerned(in, tree, []string{"x/x.go"}))
		require.False(t, gate.Concerned(in, tree, []string{"go.work"}))
	}

	const alone = "-- go.work --\ngo 1.24\n\nuse (\n\t./x\n\t./y\n)\n-- go.mod --\nmodule example.com/m\n\ngo 1.24\n" + listsX +
		"-- y/go.mod --\nmodule example.com/y\n\ngo 1.24\n\nrequire example.com/x v0.0.0\n-- y/y.go --\npackage y\n\nimport \"example.com/x\"\n\n// Y is one.\nconst Y = x.X\n-- m.go --\npackage m\n\n"
	build, tree := gateNamed(nameBuild), write(t, alone)
	change.Changed = []string{"m.go"}
	report := gate.RunIn(t.Context(), build, tree, change)
	require.Equal(t, gate.Pass, report.Verdict, report.Summary)
	require.Equal(t, gate.Fail, gate.RunIn(t.Context(), build, write(t, alone+unknown), change).Verdict, "the twin")
	require.False(t, gate.Concerned(build, tree, []string{"x/x.go"}), "the module of the folder is not compiled with the others")
	for _, changed := range []string{"x/x.go", "go.work"} {
		change.Changed = []string{changed}
		report = gate.RunIn(t.Context(), gate.In("y", build), tree, change)
		require.Equal(t, gate.Pass, report.Verdict, "%s: %s", changed, report.Summary)
		require.Equal(t, 1, report.Executed)
		require.True(t, gate.Concerned(gate.In("y", build), tree, change.Changed), changed)
	}
}

func TestConcerned_IsAboutWhatAWorkspaceIsCompiledOf(t *testing.T) {
	t.Parallel()
	tree := write(t, "-- go.work --\nuse (\n\tx // ./tools\n)\n\nreplace example.com/a => ./a\n-- x/go.mod --\nmodule example.com/x\n\nreplace example.com/b => ../b\n"+
		"-- a/go.mod --\n-- b/go.mod --\n-- x/sub/go.mod --\n-- tools/go.mod --\n-- x/x.go --\npackage x\n")
	for file, want := range map[string]bool{
		"go.work": true, "go.work.sum": true, "vendor/modules.txt": true, "x/x.go": true, "x/gone/x.go": true, "x/go.sum": true, "a/a.go": true, "b/b.go": true, "b/docs/x.md": false,
		"x/sub/s.go": false, "tools/t.go": false, "tools/go.mod": false, "scripts/gen.go": false, "README.md": false,
	} {
		require.Equal(t, want, gate.Concerned(gateNamed(nameBuild), tree, []string{file}), file)
	}
	require.True(t, gate.Concerned(gateNamed(nameBuild), write(t, "-- go.work --\ngo 1.24\n-- x/go.mod --\n"), []string{"x/x.go"}), "the go command says what is wrong")
}
