package permission

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Argv returns the program and the arguments of a line that can be started without a shell: one command, of words without variables,
// patterns or redirections. The error is what needs a shell.
func Argv(line string) ([]string, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be parsed: %w", err)
	case len(file.Stmts) != 1:
		return nil, errors.New("it is not one command: there is no shell")
	}
	s := file.Stmts[0]
	expr, isCall := s.Cmd.(*syntax.CallExpr)
	switch {
	case !isCall || s.Negated || s.Background || s.Coprocess:
		return nil, errors.New("it needs a shell: write each command by itself")
	case len(s.Redirs) > 0:
		return nil, errors.New("it redirects, and there is no shell")
	case len(expr.Assigns) > 0:
		return nil, errors.New("it sets a variable, and there is no shell")
	case len(expr.Args) == 0:
		return nil, errors.New("it names no program")
	}
	var argv []string
	for _, word := range expr.Args {
		text, literal := literally(word.Parts, false)
		if !literal || len(argv) == 0 && strings.TrimSpace(text) == "" {
			return nil, errors.New("a shell would compute one of its words, and there is no shell")
		}
		argv = append(argv, text)
	}
	return argv, nil
}

// literally returns the text of a word that a shell would leave as it is.
func literally(parts []syntax.WordPart, quoted bool) (text string, is bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if !quoted && (strings.ContainsAny(p.Value, `*?[{\`) || strings.HasPrefix(text+p.Value, "~")) || quoted && strings.Contains(p.Value, `\`) {
				return "", false
			}
			text += p.Value
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			text += p.Value
		case *syntax.DblQuoted:
			inner, literal := literally(p.Parts, true)
			if p.Dollar || !literal {
				return "", false
			}
			text += inner
		default:
			return "", false
		}
	}
	return text, true
}

// KnowsProgram reports whether the tables know a program.
func KnowsProgram(program string) bool { return tables().programs[programName(program)] != nil }
