package permission

import (
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"
)

// judgeScript judges every simple command of a script, what is piped from one to the next, and where they write.
func judgeScript(script string, depth int) Danger {
	if depth > maxDepth {
		return critical("depth")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil || strings.ContainsRune(script, 0) {
		return critical("unparsed")
	}
	if strings.ContainsFunc(script, func(r rune) bool { return unicode.Is(unicode.Cf, r) }) {
		return critical("computed") // a text that looks different from what it is
	}
	w := walker{depth: depth, values: valuesOf(file), local: map[string]bool{}, piped: map[*syntax.CallExpr]bool{}}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, is := n.(*syntax.FuncDecl); is {
			w.local[f.Name.Value] = true
		}
		return true
	})
	syntax.Walk(file, func(n syntax.Node) bool {
		if w.found.Class != Critical && n != nil {
			w.visit(n)
		}
		return w.found.Class != Critical
	})
	return w.found
}

// walker is the state of such a judgement.
type walker struct {
	depth  int
	found  Danger
	values values
	local  map[string]bool           // the functions of the script
	piped  map[*syntax.CallExpr]bool // the commands that read from a pipe
	away   bool                      // the script has left the folder
	wrote  []string                  // what earlier commands have downloaded or written
}

func (w *walker) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Stmt:
		w.statement(n)
	case *syntax.ProcSubst:
		if n.Op == syntax.CmdOut {
			w.reads(n)
		}
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			w.reads(n.Y)
		}
	case *syntax.FuncDecl:
		if callsItself(n) {
			w.add(critical("endless"))
		}
	case *syntax.WhileClause:
		for _, s := range n.Do {
			if s.Background {
				w.add(critical("endless"))
			}
		}
	case *syntax.Assign:
		w.assign(n)
	}
}

func (w *walker) add(f Danger) { w.found = w.found.and(f) }

// statement judges a command with its redirections.
func (w *walker) statement(s *syntax.Stmt) {
	c := call{local: w.local, wrote: w.written}
	for _, r := range s.Redirs {
		w.redirect(r, &c)
	}
	expr, isCall := s.Cmd.(*syntax.CallExpr)
	if !isCall || len(expr.Args) == 0 || w.found.Class == Critical {
		return
	}
	if w.piped[expr] {
		c.input = "pipe"
	}
	for i, arg := range expr.Args {
		if fromCommand(arg) && (i == 0 || executes(c.argv[0])) {
			w.add(critical("input"))
			return
		}
		c.argv = append(c.argv, w.values.words(arg)...)
	}
	if len(c.argv) == 0 {
		c.argv = []string{computed}
	}
	w.add(c.judge(w.depth + 1))
	w.move(c.argv)
	w.remember(c.argv)
}

// redirect judges where a command writes, and notes what it reads.
func (w *walker) redirect(r *syntax.Redirect, c *call) {
	target := strings.Join(w.values.words(r.Word), " ")
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut, syntax.DplOut, syntax.AppClob:
		w.add(writesTo(target))
		w.wrote = append(w.wrote, target)
	case syntax.Hdoc, syntax.DashHdoc:
		c.input, c.text = "text", strings.Join(w.values.words(r.Hdoc), " ")
	case syntax.WordHdoc:
		c.input, c.text = "text", target
	case syntax.RdrIn:
		c.input = "pipe"
		if secretIn([]string{target}) {
			w.add(critical("secret"))
		}
	}
}

// move judges commands that remove something after the script has left the folder.
func (w *walker) move(argv []string) {
	switch name := programName(argv[0]); {
	case name == "cd" || name == "pushd":
		w.away = w.away || len(argv) < 2 || outside(argv[1]) || temporary.MatchString(argv[1]) && strings.Contains(argv[1], computed)
	case w.away && tables().programs[name] != nil && tables().programs[name].is["removes"]:
		w.add(critical("delete"))
	}
}

// remember notes what a command leaves that a later one may start: what it has downloaded or written.
func (w *walker) remember(argv []string) {
	name := programName(argv[0])
	p := tables().programs[name]
	if p == nil || !p.is["fetches"] {
		return
	}
	for _, s := range argv[1:] {
		w.wrote = append(w.wrote, s, s[strings.LastIndexByte(s, '/')+1:])
	}
}

// written reports whether an earlier command of the script has written a file, or may have.
func (w *walker) written(path string) bool {
	return path != "" && slices.ContainsFunc(w.wrote, func(one string) bool {
		return one != "" && strings.TrimPrefix(one, "./") == strings.TrimPrefix(path, "./")
	})
}

// executes reports whether a program executes the files that it is given.
func executes(program string) bool {
	p := tables().programs[programName(program)]
	return p != nil && (p.lang != "" || p.is["fed"])
}

// reads notes that the commands of a part read from a pipe.
func (w *walker) reads(part syntax.Node) {
	syntax.Walk(part, func(n syntax.Node) bool {
		if expr, is := n.(*syntax.CallExpr); is {
			w.piped[expr] = true
		}
		return true
	})
}

// assign judges a variable that makes other programs execute something.
func (w *walker) assign(a *syntax.Assign) {
	if a.Name != nil && a.Value != nil {
		w.add(judgeVariable(a.Name.Value, strings.Join(w.values.words(a.Value), " "), a.Append, w.depth))
	}
}

// callsItself reports whether a function starts itself again in a pipe or after it.
func callsItself(f *syntax.FuncDecl) (found bool) {
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		if c, is := n.(*syntax.CallExpr); is && len(c.Args) > 0 && c.Args[0].Lit() == f.Name.Value {
			found = true
		}
		return !found
	})
	return found
}

// fromCommand reports whether a word is the output of another command, as a file.
func fromCommand(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(part syntax.WordPart) bool {
		_, is := part.(*syntax.ProcSubst)
		return is
	})
}
