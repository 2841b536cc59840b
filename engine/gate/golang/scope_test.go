package golang

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// A module of packages: c imports b, which imports a; only the tests of d import b; e is alone, and embeds a text. A module in a folder
// takes the one at the root from there.
func module(t *testing.T) gate.Tree {
	t.Helper()
	test := func(pkg string) string {
		return "package " + pkg + "\n\nimport \"testing\"\n\nfunc Test_" + pkg + "(t *testing.T) {}\n"
	}
	return write(t, archive(map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.24\n",
		"a/a.go":        "package a\n\n// A is one.\nconst A = 1\n",
		"a/a_test.go":   test("a"),
		"b/b.go":        "package b\n\nimport \"example.com/m/a\"\n\n// B is one.\nconst B = a.A\n",
		"b/b_test.go":   test("b"),
		"c/c.go":        "package c\n\nimport \"example.com/m/b\"\n\n// C is one.\nconst C = b.B\n",
		"c/c_test.go":   test("c"),
		"d/d.go":        "package d\n",
		"d/d_test.go":   "package d\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/b\"\n)\n\nfunc Test_d(t *testing.T) {\n\tif b.B != 1 {\n\t\tt.Fail()\n\t}\n}\n",
		"e/e.go":        "package e\n\nimport _ \"embed\"\n\n//go:embed texts/e.txt\nvar e string\n",
		"e/texts/e.txt": "e\n",
		"e/e_test.go":   test("e"),
		"ui/go.mod":     "module example.com/ui\n\ngo 1.24\n\nrequire example.com/m v0.0.0\n\nreplace example.com/m => ../\n",
		"ui/ui.go":      "package ui\n\nimport \"example.com/m/a\"\n\nvar u = a.A\n",
		"docs/x.md":     "x\n",
	}))
}

// archive is files as txtar has them.
func archive(files map[string]string) string {
	var all txtar.Archive
	for name, text := range files {
		all.Files = append(all.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	return string(txtar.Format(&all))
}

// gateNamed returns a gate that has time for all packages, on however slow a machine.
func gateNamed(name string) gate.Gate {
	tools := toolsFor(machine())
	tools.known, tools.built = &listings{}, &tool.PerTree[compilation]{}
	all := []gate.Gate{newFormat(tools), newVet(tools), newStaticcheck(tools), newBuild(tools, time.Hour, time.Hour), newTest(tools, time.Hour)}
	return all[slices.IndexFunc(all, func(g gate.Gate) bool { return g.Name() == name })]
}

func TestScope_IsChangedPackagesAndImporters(t *testing.T) {
	t.Parallel()
	tree := module(t)
	names := map[string]bool{}
	for _, c := range []struct {
		changed string
		reach   gate.Reach
		gate    string
		want    int // packages
	}{
		{"a/a.go", gate.ReachNear, "go build", 1},
		{"a/a.go", gate.ReachWide, "go build", 3},
		{"a/a.go", gate.ReachWide, "go vet", 1},
		{"a/a_test.go", gate.ReachNear, "go vet", 1},
		{"c/c.go", gate.ReachWide, "go vet", 1},
		{"a/a_test.go", gate.ReachWide, "go build", 1}, // no other package imports it
		{"a/testdata/x.json", gate.ReachWide, "go build", 3},
		{"e/texts/e.txt", gate.ReachWide, "go build", 1},
		{"e/testdata/x/y.json", gate.ReachWide, "go vet", 1},
		{"go.mod", gate.ReachNear, "go build", 5},
		{"a/a.go", gate.ReachAll, "go build", 5},
		{"docs/x.md", gate.ReachWide, "go build", 0},
	} {
		report := gate.RunIn(t.Context(), gateNamed(c.gate), tree, gate.Scope{Changed: []string{c.changed}, Reach: c.reach})
		require.Equal(t, c.want, report.Executed, "%+v: %s", c, report.Summary)
		if c.want == 0 {
			require.True(t, report.Empty)
			continue
		}
		require.Equal(t, gate.Pass, report.Verdict, report.Summary)
		names[report.Summary] = true
	}
	require.Contains(t, names, "3 packages built, of 5: those that the change concerns")

	tests := func(reach gate.Reach, changed ...string) gate.Report {
		return gate.RunIn(t.Context(), gateNamed("go test"), tree, gate.Scope{Changed: changed, Reach: reach})
	}
	require.Equal(t, []string{"example.com/m/a.Test_a"}, tests(gate.ReachNear, "a/a.go").PassedTests)
	require.Equal(t, []string{"example.com/m/b.Test_b", "example.com/m/c.Test_c", "example.com/m/d.Test_d"}, tests(gate.ReachWide, "b/b.go").PassedTests)
	require.Equal(t, []string{"example.com/m/e.Test_e"}, tests(gate.ReachWide, "e/e_test.go", "docs/x.md").PassedTests)
	require.Equal(t, []string{"example.com/m/c.Test_c", "example.com/m/d.Test_d"}, tests(gate.ReachWide, "b/b.go").PassedBeyond, "these only import what has changed")
	require.Equal(t, []string{"example.com/m/a.Test_a"}, tests(gate.ReachWide, "a/a_test.go").PassedTests)
	require.Len(t, tests(gate.ReachAll, "e/e_test.go").PassedTests, 5, "the twin: everything")

	// Importers are checked as far as there is time, and the report names the rest.
	hasty := newTest(toolsFor(machine()), 0)
	report := hasty.RunIn(t.Context(), tree, gate.Scope{Changed: []string{"b/b.go"}, Reach: gate.ReachWide})
	require.Equal(t, []string{"example.com/m/b.Test_b"}, report.PassedTests)
	require.Equal(t, "1 test passed in 1 package: 2 of 2 packages that only import what has changed were not checked, there was no time", report.Summary)
	require.Equal(t, "2 of 2 packages that only import what has changed were not checked, there was no time", report.Notice)
	require.Equal(t, 2, report.Unreached)
	builds := newBuild(toolsFor(machine()), 0, 0)
	report = builds.RunIn(t.Context(), tree, gate.Scope{Changed: []string{"a/a.go"}, Reach: gate.ReachWide})
	require.Equal(t, gate.Pass, report.Verdict, report.Summary)
	require.Equal(t, "1 package built: 2 of 2 packages that only import what has changed were not checked, there was no time", report.Summary)

	// Importers of a deleted package are checked.
	gone := gate.RunIn(t.Context(), gateNamed("go build"), write(t, archive(map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "b/b.go": "package b\n\nimport _ \"example.com/m/a\"\n", "c/c.go": "package c\n",
	})), gate.Scope{Changed: []string{"a/a.go"}, Reach: gate.ReachWide})
	require.Equal(t, gate.Fail, gone.Verdict, gone.Summary)
}

// What is of no package of the module may still be compiled into it.
func TestScope_IsAllWhereAChangeIsOfNoPackage(t *testing.T) {
	t.Parallel()
	const (
		lib  = "module example.com/lib\n\ngo 1.24\n"
		uses = "package m\n\nimport \"example.com/lib\"\n\n// M is one.\nconst M = lib.X\n"
		whol = "package lib\n\n// X is one.\nconst X = 1\n"
		gone = "package lib\n"
	)
	taking := func(from string) string {
		return "module example.com/m\n\ngo 1.24\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => " + from + "\n"
	}
	embeds := map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": "package m\n\nimport _ \"embed\"\n\n//go:embed sql/schema.sql\nvar schema string\n", "sql/sql.go": "package sql\n"}
	for name, c := range map[string]struct {
		dir, changed string
		files, twin  map[string]string
	}{
		"a module beside it": {
			"app", "lib/x.go", map[string]string{"lib/go.mod": lib, "lib/x.go": gone, "app/go.mod": taking("../lib"), "app/m.go": uses},
			map[string]string{"lib/x.go": whol},
		},
		"a module below it": {
			"", "lib/x.go", map[string]string{"lib/go.mod": lib, "lib/x.go": gone, "go.mod": taking("./lib"), "m.go": uses},
			map[string]string{"lib/x.go": whol},
		},
		"a file that was embedded": {"", "sql/schema.sql", embeds, map[string]string{"sql/schema.sql": "1\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, g := range []string{nameBuild, nameVet} {
				in, scope := gate.In(c.dir, gateNamed(g)), gate.Scope{Changed: []string{c.changed}, Reach: gate.ReachWide}
				report := gate.RunIn(t.Context(), in, write(t, archive(c.files)), scope)
				require.Equal(t, gate.Fail, report.Verdict, "%s: %s", g, report.Summary)
				files := maps.Clone(c.files)
				maps.Copy(files, c.twin)
				report = gate.RunIn(t.Context(), in, write(t, archive(files)), scope)
				require.Equal(t, gate.Pass, report.Verdict, "the twin: %s: %s", g, report.Summary)
			}
		})
	}
	tree := write(t, archive(map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "m.go": embeds["m.go"], "sql/schema.sql": "1\n", "a/a.go": "package a\n", "testdata/x.json": "1\n"}))
	executed := func(changed string) int {
		return gate.RunIn(t.Context(), gateNamed(nameBuild), tree, gate.Scope{Changed: []string{changed}, Reach: gate.ReachWide}).Executed
	}
	require.Equal(t, 1, executed("sql/schema.sql"))
	require.Zero(t, executed("docs/gone.md"), "nothing embeds it")
	require.Equal(t, 1, executed("testdata/x.json"), "there is a package beside it")
	require.Equal(t, 2, executed("docs/testdata/x.json"), "which tests read it is unknown")
}

// Cases that a package offers to the tests of others, as promqltest does in Prometheus, are run by those tests, also where only what is near runs.
func TestScope_EmbeddedTestDataIsRunByTheTestsThatUseIt(t *testing.T) {
	t.Parallel()
	tree := write(t, archive(map[string]string{
		"go.mod":                 "module example.com/m\n\ngo 1.24\n",
		"cases/cases.go":         "package cases\n\nimport _ \"embed\"\n\n// All are the cases.\n//\n//go:embed testdata/all.txt\nvar All string\n\n//go:embed texts/help.txt\nvar help string\n",
		"cases/testdata/all.txt": "1\n",
		"cases/texts/help.txt":   "help\n",
		"user/user.go":           "package user\n",
		"user/user_test.go":      "package user\n\nimport (\n\t\"testing\"\n\n\t\"example.com/m/cases\"\n)\n\nfunc Test_cases(t *testing.T) {\n\tif cases.All != \"2\\n\" {\n\t\tt.Fail()\n\t}\n}\n",
		"other/other.go":         "package other\n",
		"other/other_test.go":    "package other\n\nimport \"testing\"\n\nfunc Test_other(t *testing.T) {}\n",
	}))
	near := func(changed string) gate.Report {
		return gate.RunIn(t.Context(), gateNamed("go test"), tree, gate.Scope{Changed: []string{changed}, Reach: gate.ReachNear})
	}
	report := near("cases/testdata/all.txt")
	require.Equal(t, gate.Fail, report.Verdict, report.Summary)
	require.Equal(t, "example.com/m/user.Test_cases", report.Findings[0].Test)
	require.Equal(t, 1, report.Executed)
	require.Zero(t, near("cases/texts/help.txt").Executed, "the twin: what is no test data is near to its own package only")
	vetted := gate.RunIn(t.Context(), gateNamed("go vet"), tree, gate.Scope{Changed: []string{"cases/testdata/all.txt"}, Reach: gate.ReachWide})
	require.Equal(t, 1, vetted.Executed, "go vet reads no data: the texts of the users are the same")
}

func TestConcerned_OmitsFilesOutsideOfTheModule(t *testing.T) {
	t.Parallel()
	tree := module(t)
	g := gateNamed("go test")
	for file, want := range map[string]bool{
		"a/a.go": true, "a/old.go": true, "new/new.go": true, "go.sum": true, "a/README.md": true, "e/texts/e.txt": true, "x/testdata/y.json": true,
		"docs/x.md": false, "README.md": false, ".github/workflows/ci.yml": false, "ui/ui.go": false, "ui/x.ts": false, "../other/a.go": false,
	} {
		require.Equal(t, want, gate.Concerned(g, tree, []string{file}), file)
		require.True(t, gate.Concerned(g, tree, []string{file, "b/b.go"}))
	}
	inside := gate.In("ui", g)
	require.True(t, gate.Concerned(inside, tree, []string{"a/a.go"}), "the module that it replaces")
	require.True(t, gate.Concerned(inside, tree, []string{"ui/ui.go"}))
	require.False(t, gate.Concerned(gateNamed("gofmt"), tree, []string{"go.mod"}))

	examples := gate.In("_examples/server", g)
	tree = write(t, "-- go.mod --\nmodule example.com/m\n-- a/a.go --\npackage a\n-- _examples/server/go.mod --\nmodule example.com/server\n\nreplace example.com/m => ../..\n")
	require.False(t, gate.Concerned(examples, tree, []string{"a/a.go"}), "the go command leaves its folder out")
	require.True(t, gate.Concerned(examples, tree, []string{"_examples/server/main.go"}))
}
