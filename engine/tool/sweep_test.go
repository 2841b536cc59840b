package tool

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/treesitter"
)

// withParsers is a world with the real parsers.
func withParsers(now map[string]string) World {
	w := worldOf(treeOf(now), known{})
	w.Names = new(treesitter.Outliner)
	return w
}

// put gives what a change makes of files, by path.
func put(r Result) map[string]string {
	then := map[string]string{}
	for _, f := range r.Change.Files {
		then[f.Path] = f.After
	}
	return then
}

func TestRename_ByParsers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		args  string
		want  map[string]string // what changes
		says  []string
	}{
		"a function of Go in two files": {map[string]string{
			"a.go": "package a\n\n// Total is total.\nfunc Total() int { return 1 }\n", "b.go": "package a\n\nvar x = Total()\n\nfunc f(Total int) int { return Total }\n", "doc.md": "Total\n"},
			`{"symbol": "Total", "to": "Sum"}`,
			map[string]string{"a.go": "package a\n\n// Total is total.\nfunc Sum() int { return 1 }\n", "b.go": "package a\n\nvar x = Sum()\n\nfunc f(Total int) int { return Total }\n"},
			[]string{"2 places in 2 files", "a.go: 1", "no language server was used", "Total is still in a.go (1), b.go (2), doc.md (1): everywhere: true"}},
		"words everywhere": {map[string]string{
			"a.py": "def total():\n    return 'total totals'  # total\n", "b.sh": "python -c total\n", "c.md": "`total` subtotal\n", "d.py": "def f(total):\n    return total\n"},
			`{"symbol": "total", "to": "größe", "everywhere": true}`,
			map[string]string{"a.py": "def größe():\n    return 'größe totals'  # größe\n", "b.sh": "python -c größe\n", "c.md": "`größe` subtotal\n"},
			[]string{"5 places in 3 files"}},
		"a local name keeps its keys": {map[string]string{
			"a.ts": "function f(name: string) { return { name, b: x.name, name2: name } }\nfunction g(name: string) { return name }\n"},
			`{"symbol": "name", "to": "label", "path": "a.ts", "line": 1}`,
			map[string]string{"a.ts": "function f(label: string) { return { name: label, b: x.name, name2: label } }\nfunction g(name: string) { return name }\n"},
			[]string{"3 places in 1 file"}},
		"TypeScript across files": {map[string]string{
			"a.ts": "export const load = () => 1\n", "b.tsx": "import { load } from './a'\nexport const C = () => <p title=\"load\">{load()}</p>\n", "c.py": "load = 1\n"},
			`{"symbol": "load", "to": "fetchAll", "path": "a.ts"}`,
			map[string]string{"a.ts": "export const fetchAll = () => 1\n", "b.tsx": "import { fetchAll } from './a'\nexport const C = () => <p title=\"load\">{fetchAll()}</p>\n"},
			[]string{"3 places in 2 files"}},
		"a method of Rust": {map[string]string{
			"a.rs": "struct A;\nimpl A { fn run(&self) {} }\nfn f(a: A) { a.run(); println!(\"run\"); }\n"},
			`{"symbol": "run", "to": "go"}`,
			map[string]string{"a.rs": "struct A;\nimpl A { fn go(&self) {} }\nfn f(a: A) { a.go(); println!(\"run\"); }\n"},
			[]string{"2 places of them are members or keys"}},
		"each file has its own": {map[string]string{
			"a.py": "def helper():\n    pass\nhelper()\n", "b.py": "def helper():\n    pass\nhelper()\n"},
			`{"symbol": "helper", "to": "setup", "path": "a.py"}`,
			map[string]string{"a.py": "def setup():\n    pass\nsetup()\n"},
			[]string{"2 places in 1 file"}},
		"all of that name": {map[string]string{
			"a.py": "class A:\n    def run(self):\n        pass\n", "b.py": "class B:\n    def run(self):\n        pass\n"},
			`{"symbol": "run", "to": "go", "scope": "all"}`,
			map[string]string{"a.py": "class A:\n    def go(self):\n        pass\n", "b.py": "class B:\n    def go(self):\n        pass\n"},
			[]string{"2 places in 2 files"}},
		"a field of Go, and packages of that name": {map[string]string{
			"a.go": "package a\n\nimport \"example.com/cache/lib\"\n\ntype Store struct{ redis *redis.Client }\n\nfunc (s Store) All() []Store { return []Store{{redis: s.redis}, {redis: redis.New()}} }\n",
			"b.go": "package a\n\nimport redis \"example.com/cache/lib\"\n\nfunc size(s Store) int { return redis.Size(s.redis) }\n"},
			`{"symbol": "redis", "to": "cache"}`,
			map[string]string{
				"a.go": "package a\n\nimport \"example.com/cache/lib\"\n\ntype Store struct{ cache *redis.Client }\n\nfunc (s Store) All() []Store { return []Store{{cache: s.cache}, {cache: redis.New()}} }\n",
				"b.go": "package a\n\nimport redis \"example.com/cache/lib\"\n\nfunc size(s Store) int { return redis.Size(s.cache) }\n"}, nil},
		"a method of Go that is called like a builtin": {map[string]string{
			"a.go": "package a\n\ntype Set []int\n\nfunc (s Set) len() int { return len(s) }\n\nvar n = Set{}.len() + len(\"\")\n"},
			`{"symbol": "len", "to": "size"}`,
			map[string]string{"a.go": "package a\n\ntype Set []int\n\nfunc (s Set) size() int { return len(s) }\n\nvar n = Set{}.size() + len(\"\")\n"}, nil},
		"a variable of Go, and packages of that name": {map[string]string{
			"a.go":   "package a\n\nvar redis = 1\n",
			"b.go":   "package a\n\nimport \"example.com/redis-lib\"\n\nvar n = redis + lib.Size()\n",
			"c/c.go": "package c\n\nimport \"github.com/redis/go-redis/v9\"\n\nvar n = redis.Nil\n",
			"d/d.go": "package d\n\nimport \"gopkg.in/redis.v8\"\n\nvar n = redis.Nil\n",
			"e/e.go": "package e\n\nimport \"github.com/redis/redis/v9\"\n\nvar n = redis.Nil\n",
			"f/f.go": "package f\n\nimport \"github.com/redis/redis.go\"\n\nvar n = redis.Nil\n"},
			`{"symbol": "redis", "to": "cache"}`,
			map[string]string{"a.go": "package a\n\nvar cache = 1\n", "b.go": "package a\n\nimport \"example.com/redis-lib\"\n\nvar n = cache + lib.Size()\n"}, nil},
		"an attribute of Python, and a module of that name": {map[string]string{
			"a.py": "import redis\n\nclass A:\n    redis: redis.Redis\n\n    def ping(self):\n        return redis.ping(self.redis)\n",
			"b.py": "import redis as r, redis\nfrom redis import Redis\n\ndef f(a):\n    return redis.Redis(a.redis, redis=1)\n"},
			`{"symbol": "redis", "to": "cache"}`,
			map[string]string{
				"a.py": "import redis\n\nclass A:\n    cache: redis.Redis\n\n    def ping(self):\n        return redis.ping(self.cache)\n",
				"b.py": "import redis as r, redis\nfrom redis import Redis\n\ndef f(a):\n    return redis.Redis(a.cache, cache=1)\n"}, nil},
		"an attribute of Python in the body of its class": {map[string]string{
			"a.py": "class A:\n    @property\n    def max(self):\n        return 1\n\n    @max.setter\n    def max(self, n):\n        self.n = max(n, 1)\n\nclass B:\n    n = max(1, 2)\n"},
			`{"symbol": "max", "to": "top"}`,
			map[string]string{"a.py": "class A:\n    @property\n    def top(self):\n        return 1\n\n    @top.setter\n    def top(self, n):\n        self.n = max(n, 1)\n\nclass B:\n    n = max(1, 2)\n"}, nil},
		"what others wrote stays": {map[string]string{
			"a.go": "package a\n\nfunc Total() {}\n", "vendor/x/x.go": "package x\n\nfunc Total() {}\n"},
			`{"symbol": "Total", "to": "Sum"}`, map[string]string{"a.go": "package a\n\nfunc Sum() {}\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, withParsers(c.files), "rename", c.args)
			require.False(t, r.Failed, r.Text)
			require.Equal(t, c.want, put(r))
			for _, text := range c.says {
				require.Contains(t, r.Text, text)
			}
		})
	}
}

// An ambiguous name is never guessed: nothing changes, and the answer says what to add.
func TestRename_RefusesAmbiguousNames(t *testing.T) {
	t.Parallel()
	two := map[string]string{"a.py": "class A:\n    def run(self): pass\n", "b.py": "class B:\n    def run(self): pass\nA().run()\n", "l.py": "def f(x):\n    return x\ndef len2():\n    return len([])\n"}
	for name, c := range map[string]struct{ args, says string }{
		"two declarations":        {`{"symbol": "run", "to": "go"}`, "run is declared in 2 places: a.py:2, b.py:2. Give path and line"},
		"two, and one is named":   {`{"symbol": "run", "to": "go", "path": "a.py"}`, "a language server can. Without one, scope \"file\""},
		"a local name":            {`{"symbol": "x", "to": "y"}`, "x is a local name (l.py:1): give path and line"},
		"of a library":            {`{"symbol": "len", "to": "size"}`, "not declared in this folder"},
		"nowhere":                 {`{"symbol": "nothing", "to": "y"}`, "no code of this folder has the name nothing"},
		"another line":            {`{"symbol": "run", "to": "go", "path": "a.py", "line": 1}`, "no name run in line 1 of a.py; it is in lines 2"},
		"the same":                {`{"symbol": "run", "to": "run"}`, "both names are the same"},
		"no name":                 {`{"symbol": "run", "to": "2go"}`, "cannot be a name"},
		"a path of names":         {`{"symbol": "A.run", "to": "go"}`, "omit what precedes a dot"},
		"a keyword":               {`{"symbol": "f", "to": "class"}`, "class is a word of python, and no name"},
		"a name that is there":    {`{"symbol": "f", "to": "len2"}`, "len2 already exists at l.py:3"},
		"an unknown scope":        {`{"symbol": "f", "to": "g", "scope": "class"}`, `the scope "class" is unknown: it is file or all`},
		"a line without its file": {`{"symbol": "f", "to": "g", "line": 1}`, "give the path of the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, withParsers(two), "rename", c.args)
			require.True(t, r.Failed)
			require.Contains(t, r.Text, c.says)
			require.Empty(t, r.Change.Files)
		})
	}
}

// A name that would be taken for a local one is refused.
func TestRename_RefusesShadowedNames(t *testing.T) {
	t.Parallel()
	r := ask(t, withParsers(map[string]string{"a.go": "package a\n\nfunc total() int { return 1 }\n\nfunc f(sum int) int { return total() + sum }\n"}), "rename", `{"symbol": "total", "to": "sum"}`)
	require.True(t, r.Failed)
	require.Contains(t, r.Text, "sum is a local name at a.go:5, which would hide the renamed total at line 5")
}

// server is a language server that says what it is to say.
type server struct {
	says  Renamed
	asked *Renaming
}

func (s server) Rename(_ context.Context, r Renaming) (Renamed, error) {
	*s.asked = r
	return s.says, nil
}

// An available language server decides: it distinguishes what parsers cannot, and what it refuses is not done.
func TestRename_TheServerDecides(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.py": "class A:\n    def run(self): pass\n", "b.py": "class B:\n    def run(self): pass\nA().run()\n"}
	for name, c := range map[string]struct {
		says   Renamed
		text   string
		failed bool
	}{
		"it renames":        {Renamed{By: "lens", After: map[string]string{"a.py": "class A:\n    def go(self): pass\n", "b.py": "class B:\n    def run(self): pass\nA().go()\n"}}, "renamed run to go by lens: 2 places in 2 files", false},
		"it refuses":        {Renamed{By: "lens", Refused: "go is there already"}, "nothing was changed: lens refuses: go is there already", true},
		"it is not at hand": {Renamed{Why: "lens is not installed"}, "a language server can. Without one, scope \"file\" renames in a.py alone. lens is not installed", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, asked := withParsers(files), Renaming{}
			w.Servers = server{c.says, &asked}
			r := ask(t, w, "rename", `{"symbol": "run", "to": "go", "path": "a.py"}`)
			require.Equal(t, c.failed, r.Failed)
			require.Contains(t, r.Text, c.text)
			require.Equal(t, c.says.After, nilIfEmpty(put(r)))
			require.Equal(t, []any{"a.py", 17, codeintel.LanguagePython}, []any{asked.Path, asked.At, asked.Language})
		})
	}
}

func nilIfEmpty(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

func TestReplaceAll_ChangesTextOfTheFolder(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go": "package a // fooBar\n", "docs/x.md": "fooBar and FooBar\n", "run.sh": "FOO_BAR=1\n", "vendor/v.go": "fooBar\n", "blob": "fooBar\x00", "latin": "fooBar caf\xe9",
	}
	r := ask(t, withParsers(files), "replace_all", `{"find": "fooBar", "replace": "bazQux", "variants": true}`)
	require.False(t, r.Failed, r.Text)
	require.Equal(t, map[string]string{"a.go": "package a // bazQux\n", "docs/x.md": "bazQux and BazQux\n", "run.sh": "BAZ_QUX=1\n"}, put(r))
	require.Contains(t, r.Text, "replaced \"fooBar\" by \"bazQux\": 4 places in 3 files\na.go: 1\ndocs/x.md: 2\nrun.sh: 1\n1 place in vendor")
	r = ask(t, withParsers(files), "replace_all", `{"find": "fooBar", "replace": "x", "paths": ["docs", "*.sh", "vendor/**"]}`)
	require.Equal(t, map[string]string{"docs/x.md": "x and FooBar\n", "vendor/v.go": "x\n"}, put(r))
	r = ask(t, withParsers(files), "replace_all", `{"find": "nothing", "replace": "x"}`)
	require.True(t, r.Failed)
	require.Contains(t, r.Text, `"nothing" does not occur in any text of the folder`)
}

// A secret, which the model does not see, is never changed.
func TestReplaceAll_LeavesSecretsAlone(t *testing.T) {
	t.Parallel()
	w := withParsers(map[string]string{"a.env": "KEY=s3cret\nNAME=s3cret-name\n", "b.txt": "s3cret\n"})
	w.Show = func(_, text string) string { return strings.ReplaceAll(text, "KEY=s3cret", "KEY=[hidden]") }
	r := ask(t, w, "replace_all", `{"find": "s3cret", "replace": "x"}`)
	require.Equal(t, map[string]string{"b.txt": "x\n"}, put(r))
	require.Contains(t, r.Text, "a.env stays as it is: the text is in a secret there")
}

// A replacement in too many places is refused, with the counts.
func TestReplaceAll_RefusesTooMuch(t *testing.T) {
	t.Parallel()
	many := map[string]string{}
	for i := range maxSweptFiles + 1 {
		many[fmt.Sprintf("f%03d.txt", i)] = "a a\n"
	}
	r := ask(t, withParsers(many), "replace_all", `{"find": "a", "replace": "b"}`)
	require.True(t, r.Failed)
	require.Contains(t, r.Text, "1002 places in 501 files would change; the limits are 20000 and 500")
	require.Contains(t, r.Text, "f000.txt: 2")
	require.Empty(t, r.Change.Files)
}
