package npm

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Command is one command of a script. It is not sound if a shell would do more than start a program.
type Command struct {
	Words []Word
	Sound bool
}

// maxScript limits the length of a parsed script, in bytes: a longer one could be nested too deep.
const maxScript = 16 << 10

// commands splits a script into commands and their words. The rest of a pipe is omitted if it only formats.
func commands(script string) []Command {
	s := shellScript{text: script}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(script[:min(len(script), maxScript)]), "")
	if err != nil || len(script) > maxScript {
		return s.unread()
	}
	for _, statement := range file.Stmts {
		s.statement(statement)
	}
	return s.all
}

// shellScript is a script of a POSIX shell, with the commands found so far.
type shellScript struct {
	text string
	all  []Command
}

// unread returns a script that is not valid as one command, split at blanks.
func (s *shellScript) unread() []Command {
	var words []Word
	for _, text := range strings.Fields(s.text[:min(len(s.text), maxScript)]) {
		words = append(words, Word{Text: text})
	}
	if len(words) == 0 {
		return nil
	}
	return []Command{{Words: words}}
}

// statement adds the commands of a statement.
func (s *shellScript) statement(of *syntax.Stmt) {
	if of == nil {
		return
	}
	if c, is := s.simple(of); is {
		s.all = append(s.all, c)
		return
	}
	switch cmd := of.Cmd.(type) {
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			s.statement(cmd.X)
			s.statement(cmd.Y)
			return
		}
		s.pipe(of)
	default: // loops, groups, and redirections alone
		s.within(of)
	}
}

// simple returns the command of a statement that only starts a program.
func (s *shellScript) simple(of *syntax.Stmt) (c Command, is bool) {
	call, is := of.Cmd.(*syntax.CallExpr)
	if !is {
		return Command{}, false
	}
	c.Sound = len(of.Redirs) == 0 && !of.Negated
	for _, a := range call.Assigns {
		w, plain := s.word(a.Value)
		w.Text = a.Name.Value + "=" + w.Text
		c.Words, c.Sound = append(c.Words, w), c.Sound && plain
	}
	for _, arg := range call.Args {
		w, plain := s.word(arg)
		c.Words, c.Sound = append(c.Words, w), c.Sound && plain
	}
	return c, true
}

// pipe adds the first command of a pipe; it is sound if only formatters follow.
func (s *shellScript) pipe(of *syntax.Stmt) {
	first, sound := of, true
	for {
		pipe, is := first.Cmd.(*syntax.BinaryCmd)
		if !is {
			break
		}
		last, simple := s.simple(pipe.Y)
		sound = sound && len(first.Redirs) == 0 && !first.Negated && pipe.Op == syntax.Pipe && simple && last.isFormatter()
		first = pipe.X
	}
	c, simple := s.simple(first)
	if !simple {
		s.within(of)
		return
	}
	c.Sound = c.Sound && sound
	s.all = append(s.all, c)
}

func (c Command) isFormatter() bool {
	return c.Sound && len(c.Words) > 0 && formatter.MatchString(ProgramOf(c.Words[0].Text))
}

// within adds the commands inside a construct that only a shell can run; none is sound.
func (s *shellScript) within(of *syntax.Stmt) {
	syntax.Walk(of, func(node syntax.Node) bool {
		statement, is := node.(*syntax.Stmt)
		if !is {
			return true
		}
		if c, simple := s.simple(statement); simple {
			c.Sound = false
			s.all = append(s.all, c)
		}
		return true
	})
}

// word reads a word. It is not plain if a shell would expand it; then it is as written.
func (s *shellScript) word(of *syntax.Word) (w Word, plain bool) {
	plain = true
	if of == nil {
		return w, plain
	}
	var text strings.Builder
	for _, part := range of.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(withoutEscapes(part.Value))
		case *syntax.SglQuoted:
			w.Quoted = true
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			w.Quoted = true
			body := s.text[part.Pos().Offset()+1 : part.End().Offset()-1]
			plain = plain && !strings.Contains(body, `\`) && !slices.ContainsFunc(part.Parts, func(p syntax.WordPart) bool { _, is := p.(*syntax.Lit); return !is })
			text.WriteString(body)
		default:
			plain = false
			text.WriteString(s.text[part.Pos().Offset():part.End().Offset()])
		}
	}
	w.Text = text.String()
	return w, plain
}

// withoutEscapes removes the backslashes from an unquoted text.
func withoutEscapes(text string) string {
	var plain strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		plain.WriteByte(text[i])
	}
	return plain.String()
}
