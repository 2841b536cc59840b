package permission

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"forge/internal/lazyregexp"
)

// values are the variables of a script whose value is certain: those that it sets once, to a text.
type values map[string]value

type value struct {
	text  string
	after uint // where in the script it is set
}

// valuesOf finds the variables that a script sets once. There are none if it sets IFS or a reference, which change what values mean.
func valuesOf(file *syntax.File) values {
	all, times := values{}, map[string]int{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for _, a := range n.Assigns {
				if len(n.Args) > 0 { // for one command only
					times[a.Name.Value] = 2
				}
			}
			for _, w := range n.Args {
				times[w.Lit()]++ // read x, printf -v x
			}
		case *syntax.WordIter:
			times[n.Name.Value] = 2
		case *syntax.Assign:
			all.note(n, times)
		}
		return true
	})
	for name, n := range times {
		if n > 1 || times["IFS"] > 0 {
			delete(all, name)
		}
	}
	return all
}

// note notes an assignment.
func (v values) note(n *syntax.Assign, times map[string]int) {
	switch {
	case n.Name == nil && n.Value != nil && n.Value.Lit() == "-n":
		times["IFS"]++
	case n.Name == nil || n.Value == nil:
	case n.Append || n.Index != nil:
		times[n.Name.Value] = 2
	default:
		times[n.Name.Value]++
		v[n.Name.Value] = value{strings.Join(v.words(n.Value), " "), n.End().Offset()}
	}
}

// words are the words that the shell makes of one: braces are expanded, and an unquoted variable may have several words.
func (v values) words(w *syntax.Word) (all []string) {
	if w == nil {
		return []string{""}
	}
	split := *w // SplitBraces changes what it is given
	if !syntax.SplitBraces(&split) {
		return v.fields(w)
	}
	if alternatives(&split) > maxBraces {
		return v.fields(&split) // with braces that are computed
	}
	for _, one := range expand.Braces(&split) {
		all = append(all, v.fields(one)...)
	}
	return all
}

// maxBraces limits how many words one with braces may become.
const maxBraces = 256

// alternatives counts the words that braces make of one, up to a little more than maxBraces. A sequence such as {1..9} counts as too many.
func alternatives(w *syntax.Word) int {
	n := 1
	for _, part := range w.Parts {
		braces, is := part.(*syntax.BraceExp)
		if !is {
			continue
		}
		if braces.Sequence {
			return maxBraces + 1
		}
		sum := 0
		for _, one := range braces.Elems {
			sum += alternatives(one)
		}
		n = min(n*sum, maxBraces+1)
	}
	return n
}

func (v values) fields(w *syntax.Word) []string {
	if len(w.Parts) == 1 {
		if p, is := w.Parts[0].(*syntax.ParamExp); is && strings.ContainsAny(v.parameter(p), " \t\n") {
			return strings.Fields(v.parameter(p))
		}
	}
	var b strings.Builder
	for _, part := range w.Parts {
		b.WriteString(v.text(part))
	}
	return []string{b.String()}
}

// text is a part of a word without its quotes; what only the shell would know is computed.
func (v values) text(part syntax.WordPart) string {
	switch part := part.(type) {
	case *syntax.Lit:
		return backslashes(part.Value)
	case *syntax.SglQuoted:
		if part.Dollar {
			if text, err := expand.Literal(nil, &syntax.Word{Parts: []syntax.WordPart{part}}); err == nil {
				return text
			}
			return computed
		}
		return part.Value
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, inner := range part.Parts {
			if lit, is := inner.(*syntax.Lit); is {
				b.WriteString(unescaped.Replace(lit.Value))
				continue
			}
			b.WriteString(v.text(inner))
		}
		return b.String()
	case *syntax.ParamExp:
		return v.parameter(part)
	}
	return computed
}

// parameter is the value of a variable, if the script has set it once before; of one with a default, what it may be.
func (v values) parameter(p *syntax.ParamExp) string {
	if p.Param == nil {
		return computed
	}
	bare := p.Exp == nil && p.Slice == nil && p.Repl == nil && p.Index == nil && !p.Excl && !p.Length && !p.Width
	known, is := v[p.Param.Value]
	switch {
	case p.Param.Value == "HOME" && bare:
		return "~"
	case bare && is && known.after <= p.Pos().Offset():
		return known.text
	case p.Exp != nil && p.Exp.Word != nil:
		return computed + strings.Join(v.words(p.Exp.Word), " ")
	}
	return computed
}

// backslashes removes the backslashes that quote a letter.
func backslashes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		} else if s[i] == '\\' {
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescaped removes the backslashes that mean something between double quotes.
var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, `$`, "\\`", "`", "\\\n", "")

// shellWords returns the words of a line that is one command, as a shell reads it. The error means that it is none.
func shellWords(line string) ([]string, error) {
	var all []string
	for w, err := range syntax.NewParser().WordsSeq(strings.NewReader(line)) {
		if err != nil {
			return nil, err
		}
		all = append(all, values{}.fields(w)...)
	}
	return all, nil
}

// judgeVariable judges an environment variable by tables/variables.txt.
func judgeVariable(name, value string, appended bool, depth int) Danger {
	for _, row := range tables().variables {
		if same, _ := path.Match(row.pattern, name); !same {
			continue
		}
		switch first, _, _ := strings.Cut(value, ":"); row.verdict {
		case "ok":
			return Danger{}
		case "line": // the name of a program with arguments, or a line for a shell
			return judgeProgram(value, depth)
		case "path":
			if strings.ContainsAny(value, "/~"+computed) {
				return critical("variable")
			}
			return Danger{}
		case "search":
			if !appended && (temporary.MatchString(first+"/x") || strings.HasPrefix(name, "PATH") && (first == "" || first == "." || strings.HasPrefix(first, "./"))) {
				return critical("variable")
			}
			return Danger{}
		case "never":
			return critical("variable")
		default: // options of a program
			return call{argv: append([]string{row.verdict}, strings.Fields(value)...)}.judge(depth + 1)
		}
	}
	return Danger{}
}

// judgeProgram judges the value of a variable that names a program: one program with its options, that is neither a shell nor an
// interpreter.
func judgeProgram(value string, depth int) Danger {
	argv := strings.Fields(value)
	switch {
	case len(argv) == 0 || strings.Trim(value, computed) == "":
		return Danger{}
	case !simple.MatchString(value), executes(argv[0]):
		return critical("variable")
	}
	return call{argv: argv}.judge(depth + 1)
}

var simple = lazyregexp.New(`^[\w./+ =-]+$`)
