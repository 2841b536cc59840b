package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// criticalScript judges every simple command of a script, what is piped from one to the next, and where they write.
func criticalScript(script string, depth int) string {
	if depth > maxDepth {
		return "contains commands in commands, too deep to be judged"
	}
	file, err := parse(script)
	if err != nil || strings.ContainsRune(script, 0) {
		return "cannot be parsed"
	}
	w := walker{depth: depth}
	syntax.Walk(file, func(n syntax.Node) bool {
		if w.reason == "" && n != nil {
			w.visit(n)
		}
		return w.reason == ""
	})
	if w.reason == "" && w.downloads && w.starts {
		return "downloads a program and starts it"
	}
	return w.reason
}

// walker is the state of such a judgement.
type walker struct {
	depth             int
	reason            string
	downloads, starts bool                      // something was downloaded; then something of the folder was started
	piped             map[*syntax.CallExpr]bool // those that read from a pipe
}

func (w *walker) visit(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Stmt:
		w.statement(n)
	case *syntax.BinaryCmd:
		w.pipe(n)
	case *syntax.FuncDecl:
		if callsItself(n) {
			w.reason = "is a function that starts itself without end"
		}
	case *syntax.WhileClause:
		w.loop(n)
	case *syntax.Assign:
		w.assign(n)
	case *syntax.DeclClause:
		for _, a := range n.Args {
			w.assign(a)
		}
	}
}

// statement judges a command with its redirections.
func (w *walker) statement(s *syntax.Stmt) {
	expr, isCall := s.Cmd.(*syntax.CallExpr)
	c := call{}
	for _, r := range s.Redirs {
		switch target := word(r.Word); r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.AppAll, syntax.RdrClob, syntax.RdrInOut, syntax.DplOut:
			if reason := writesTo(target); reason != "" {
				w.reason = reason
				return
			}
		case syntax.Hdoc, syntax.DashHdoc:
			c.input, c.text = "text", word(r.Hdoc)
		case syntax.WordHdoc:
			c.input, c.text = "text", target
		case syntax.RdrIn:
			c.input = "pipe"
			if reason := secretIn([]string{target}); reason != "" {
				w.reason = reason
				return
			}
		}
	}
	if !isCall || len(expr.Args) == 0 {
		return
	}
	if w.piped[expr] {
		c.input = "pipe"
	}
	for _, a := range expr.Args {
		c.argv = append(c.argv, word(a))
		if procSubst(a) && (shells[programName(c.argv[0])] || c.argv[0] == "." || c.argv[0] == "source" || interpreters[programName(c.argv[0])]) {
			w.reason = "executes the output of another command"
			return
		}
	}
	w.note(c.argv)
	w.reason = c.critical(w.depth + 1)
}

// note remembers downloads, and programs that are started after them.
func (w *walker) note(argv []string) {
	a := args{name: programName(argv[0]), list: argv[1:]}
	switch {
	case a.name == "curl" || a.name == "wget" || a.name == "aria2c":
		w.downloads = true
	case w.downloads && (strings.HasPrefix(argv[0], "./") || strings.HasPrefix(argv[0], "/tmp") || shells[a.name] || a.name == "." || a.name == "source" ||
		interpreters[a.name] && len(a.plain()) > 0 || a.name == "chmod" && a.has("+x")):
		w.starts = true
	}
}

// pipe judges where the output of a command goes.
func (w *walker) pipe(b *syntax.BinaryCmd) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		return
	}
	syntax.Walk(b.Y, func(n syntax.Node) bool {
		if expr, is := n.(*syntax.CallExpr); is && len(expr.Args) > 0 {
			if w.piped == nil {
				w.piped = map[*syntax.CallExpr]bool{}
			}
			w.piped[expr] = true
			if name := programName(word(expr.Args[0])); senders[name] {
				w.reason = "sends the output of a command to " + name
			}
		}
		return true
	})
}

// loop judges a loop that has no end and starts processes behind it.
func (w *walker) loop(loop *syntax.WhileClause) {
	for _, s := range loop.Do {
		if s.Background {
			w.reason = "starts processes in a loop"
		}
	}
}

// assign judges a variable that makes other programs execute something.
func (w *walker) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	if reason := variable(a.Name.Value); reason != "" {
		w.reason = reason
	}
	if a.Name.Value == "PATH" && a.Value != nil && !a.Append {
		w.reason = searched(word(a.Value))
	}
}

// callsItself reports whether the body of a function calls it.
func callsItself(f *syntax.FuncDecl) (found bool) {
	syntax.Walk(f.Body, func(n syntax.Node) bool {
		if c, is := n.(*syntax.CallExpr); is && len(c.Args) > 0 && c.Args[0].Lit() == f.Name.Value {
			found = true
		}
		return !found
	})
	return found
}

func procSubst(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if _, is := part.(*syntax.ProcSubst); is {
			return true
		}
	}
	return false
}

// word is the text of a word without its quotes; what the shell would compute is unknown.
func word(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range w.Parts {
		b.WriteString(text(part))
	}
	return b.String()
}

func text(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.Lit:
		return strings.ReplaceAll(strings.ReplaceAll(part.Value, "\\\n", ""), `\`, "")
	case *syntax.SglQuoted:
		if part.Dollar && strings.Contains(part.Value, `\`) {
			return unknown
		}
		return part.Value
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, inner := range part.Parts {
			if lit, is := inner.(*syntax.Lit); is {
				b.WriteString(unescaped.Replace(lit.Value))
				continue
			}
			b.WriteString(text(inner))
		}
		return b.String()
	case *syntax.ParamExp:
		if part.Param != nil && part.Param.Value == "HOME" {
			return "~"
		}
	}
	return unknown
}

// unescaped removes the backslashes that mean something between double quotes.
var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`")
