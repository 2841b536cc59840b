package permission

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// args are the arguments of a call, as its program reads them.
type args struct {
	list     []string
	input    bool // the call reads from a pipe or a text
	options  []option
	operands []string
	at       []int // where in list each operand is
}

// option is an option as it was given; one of a cluster such as -rf is separate.
type option struct {
	name, value string
}

// readings are the ways in which a program may read its arguments: if it has options that the block does not know, what follows one of
// them may be its value.
func (p *program) readings(list []string) []args {
	plain := p.parse(list, false)
	if shifted := p.parse(list, true); !slices.Equal(shifted.operands, plain.operands) && len(shifted.operands) > 0 {
		return []args{plain, shifted}
	}
	return []args{plain}
}

// parse reads arguments; greedy takes an argument after an unknown option as its value, as long as there is no operand.
func (p *program) parse(list []string, greedy bool) args {
	a := args{list: list}
	for i := 0; i < len(list); i++ {
		s := list[i]
		switch {
		case s == "--" && !p.is["dash"]:
			for j := i + 1; j < len(list); j++ {
				a.operands, a.at = append(a.operands, list[j]), append(a.at, j)
			}
			return a
		case p.is["slash"] && windowsOption.MatchString(s):
			a.options = append(a.options, option{name: strings.ToLower(s)})
		case len(s) > 1 && s[0] == '-' && (s[1] != '-' || len(s) > 2), len(s) > 1 && s[0] == '+' && p.is["plus"]:
			i += p.option(&a, i, greedy)
		default:
			a.operands, a.at = append(a.operands, s), append(a.at, i)
		}
	}
	return a
}

var windowsOption = lazyregexp.New(`(?i)^/([acfkpqrs?]|mir|purge|grant|create|delete)(:.*)?$`)

// option reads the option at a place, and returns how many arguments are its value.
func (p *program) option(a *args, i int, greedy bool) int {
	s, next := a.list[i], ""
	if i+1 < len(a.list) {
		next = a.list[i+1]
	}
	name, value, assigned := strings.Cut(s, "=")
	if p.is["dash"] {
		name = "-" + strings.TrimLeft(name, "-")
	}
	if p.is["fold"] {
		name = strings.ToLower(name)
	}
	if !p.is["dash"] && name[0] == '-' && !strings.HasPrefix(name, "--") {
		return p.cluster(a, s, next, greedy)
	}
	takes := p.takes[name] && !assigned
	if takes {
		value = next
	}
	a.options = append(a.options, option{name, value})
	if takes || !assigned && p.greedy(a, next, greedy) {
		return 1
	}
	return 0
}

// greedy reports whether what follows an unknown option is read as its value.
func (p *program) greedy(a *args, next string, greedy bool) bool {
	return greedy && len(a.operands) == 0 && next != "" && next[0] != '-'
}

// cluster reads options of one letter.
func (p *program) cluster(a *args, s, next string, greedy bool) int {
	if p.takes[s] { // an option of several letters after one dash
		a.options = append(a.options, option{s, next})
		return 1
	}
	a.options = append(a.options, option{name: s})
	for k, letter := range s[1:] {
		name := "-" + string(letter)
		if !p.takes[name] {
			a.options = append(a.options, option{name: name})
			continue
		}
		if rest := s[1+k+1:]; rest != "" {
			a.options = append(a.options, option{name, strings.TrimPrefix(rest, "=")})
			return 0
		}
		a.options = append(a.options, option{name, next})
		return 1
	}
	if p.greedy(a, next, greedy) {
		return 1
	}
	return 0
}

// match is how the terms of a row match: the operands that words have used, and the values of the last option.
type match struct {
	next    int
	lenient bool // a first word that is computed does not count as any word
	values  []string
	valued  bool
}

// matches reports whether a call has all that a row demands.
func (r row) matches(a args) (m match, ok bool) {
	m.lenient = r.verdict == "ok"
	for _, t := range r.terms {
		if t.holds(a, &m) == t.not {
			return m, false
		}
	}
	return m, true
}

func (t term) holds(a args, m *match) bool {
	left := a.operands[min(m.next, len(a.operands)):]
	switch t.kind {
	case 'n':
		return len(left) == 0
	case 'i':
		return a.input
	case 'w':
		return t.word(left, m)
	case 'a':
		return slices.ContainsFunc(left, t.one)
	case 'c':
		return slices.ContainsFunc(a.list, t.part)
	case 't':
		return passes(t.test, left)
	case 'v':
		return slices.ContainsFunc(left, sets)
	}
	m.values, m.valued = nil, false
	given := false
	for _, o := range a.options {
		if t.option(o.name) && (t.test == "" || tests[t.test](o.value)) {
			given, m.valued, m.values = true, t.test != "", append(m.values, o.value)
		}
	}
	return given
}

// word matches the next operand. One that is computed may be any word, if it names what the program does.
func (t term) word(left []string, m *match) bool {
	if len(left) == 0 {
		return false
	}
	doubt := m.next == 0 && !m.lenient && strings.HasPrefix(left[0], computed)
	m.next++
	return doubt || t.one(left[0])
}

// part reports whether an argument contains one of the words.
func (t term) part(s string) bool {
	return slices.ContainsFunc(t.words, func(w string) bool { return strings.Contains(strings.ToLower(s), w) })
}

// sets reports whether an operand sets a variable that is critical.
func sets(operand string) bool {
	name, value, is := strings.Cut(operand, "=")
	return is && judgeVariable(name, value, false, 0).Class == Critical
}

// one reports whether an operand is one of the words, regardless of case.
func (t term) one(operand string) bool {
	return slices.ContainsFunc(t.words, func(w string) bool {
		same, _ := path.Match(w, strings.ToLower(operand))
		return same || w == "*"
	})
}

// option reports whether an option is one of the words, or a beginning of one that is long enough.
func (t term) option(name string) bool {
	return slices.ContainsFunc(t.words, func(w string) bool {
		return name == w || w == "+" && name[0] == '+' && strings.Trim(name[1:], "0123456789") != "" || len(w) > 3 && strings.EqualFold(name, w) || len(name) > 4 && strings.HasPrefix(name, "--") && strings.HasPrefix(w, name)
	})
}

// passes reports whether operands pass a test: any of them, the last one, or any but the first.
func passes(test string, operands []string) bool {
	switch {
	case len(operands) == 0:
		return false
	case strings.HasPrefix(test, "last:"):
		return tests[test[5:]](operands[len(operands)-1])
	case strings.HasPrefix(test, "rest:"):
		return slices.ContainsFunc(operands[1:], tests[test[5:]])
	}
	return slices.ContainsFunc(operands, tests[test])
}
