package permission

import (
	"slices"
	"strings"
)

// action is what a row does that is not critical by itself; end reports that no later row decides.
type action func(s situation) (f Danger, end bool)

// situation is a call whose row has matched.
type situation struct {
	p     *program
	c     call
	name  string
	a     args
	m     match
	depth int
}

// actions returns an action by the verdict that rows name it by.
func actions(verdict string) action {
	switch verdict {
	case "ok":
		return func(situation) (Danger, bool) { return Danger{}, true }
	case "ask":
		return func(s situation) (Danger, bool) {
			return Danger{Class: Unknown, Reason: "has " + s.name + " start what Forge does not know"}, true
		}
	case "run", "run1", "feed", "module":
		return func(s situation) (Danger, bool) { return s.run(verdict), true }
	case "line", "lines", "each", "write", "code", "options":
		return func(s situation) (Danger, bool) { return s.texts(verdict), false }
	case "aliases":
		return situation.aliases
	case "find":
		return situation.find
	case "sed", "awk", "windows":
		return func(s situation) (Danger, bool) { return s.scripts(verdict), false }
	}
	return nil
}

// judge judges a call of a program in each way in which its arguments may be read.
func (p *program) judge(c call, name string, depth int) Danger {
	f := Danger{}
	if strings.Contains(c.argv[0], "/") && !installed.MatchString(c.argv[0]) && !strings.Contains(c.argv[0], "bin/") && !p.is["project"] {
		f = Danger{Class: Unknown, Reason: "starts a program of the folder"}
	}
	for _, a := range p.readings(c.argv[1:]) {
		a.input = c.input != ""
		if f = f.and(p.decide(situation{p: p, c: c, name: name, a: a, depth: depth})); f.Class == Critical {
			break
		}
	}
	return f
}

// decide applies the rows of a block, in order.
func (p *program) decide(s situation) (f Danger) {
	for _, r := range p.rows {
		m, matched := r.matches(s.a)
		if !matched {
			continue
		}
		act := actions(r.verdict)
		if act == nil {
			return f.and(critical(r.verdict))
		}
		s.m = m
		inner, end := act(s)
		if f = f.and(inner); end || f.Class == Critical {
			return f
		}
	}
	if p.lang != "" {
		f = f.and(s.reads())
	}
	return f
}

// run judges the command that arguments name.
func (s situation) run(how string) Danger {
	from := s.m.next
	if how == "run1" {
		from++
	}
	for s.p.is["assigns"] && from < len(s.a.operands) && strings.Contains(s.a.operands[from], "=") {
		from++
	}
	var argv []string
	switch {
	case how == "module":
		module := s.m.values[0]
		at := slices.IndexFunc(s.a.list, func(one string) bool { return strings.HasSuffix(one, module) })
		argv = append([]string{module}, s.a.list[at+1:]...)
		if tables().programs[programName(argv[0])] == nil {
			return Danger{}
		}
	case from < len(s.a.at):
		argv = s.a.list[s.a.at[from]:]
	default:
		return Danger{} // it starts nothing
	}
	inner := s.c
	inner.argv, inner.wrote = argv, nil
	f := inner.judge(s.depth + 1)
	if how == "feed" && f.Class != Critical {
		fed := append(slices.Clone(argv), "x"+computed)
		if p := tables().programs[programName(argv[0])]; len(argv) == 1 && p != nil && p.hasVerbs() {
			fed[1] = computed
		}
		for i := range fed {
			fed[i] = strings.ReplaceAll(fed[i], "{}", "x"+computed)
		}
		f = f.and(call{argv: fed}.judge(s.depth + 1))
	}
	return f
}

// hasVerbs reports whether the first operand of a program names what it does.
func (p *program) hasVerbs() bool {
	return slices.ContainsFunc(p.rows, func(r row) bool { return len(r.terms) > 0 && r.terms[0].kind == 'w' })
}

// texts judges lines for a shell, code, and files to write, which arguments name.
func (s situation) texts(how string) (f Danger) {
	all := s.a.operands[min(s.m.next, len(s.a.operands)):]
	switch {
	case s.m.valued:
		all = s.m.values
	case how == "lines" && len(all) > 0:
		all = []string{strings.Join(all, " ")}
	case how != "each" && how != "write" && len(all) > 0:
		all = all[:1]
	}
	for _, text := range all {
		switch {
		case how == "write":
			f = f.and(writesTo(text))
		case how == "options":
			f = f.and(call{argv: append([]string{s.name}, strings.Fields(text)...)}.judge(s.depth + 1))
		case strings.HasPrefix(text, computed):
			f = f.and(critical("execute"))
		case how == "code":
			f = f.and(judgeCode(s.p.lang, text))
		default:
			f = f.and(judgeScript(opened(text), s.depth+1))
		}
	}
	return f
}

// aliases judges the commands of the defined names.
func (s situation) aliases() (f Danger, end bool) {
	for _, one := range s.a.operands {
		if _, value, is := strings.Cut(one, "="); is {
			f = f.and(judgeScript(opened(value), s.depth+1))
		}
	}
	return f, true
}

// reads judges the script that an interpreter or a shell executes: from its input, or from a file.
func (s situation) reads() Danger {
	judged := []string{"-c", "-e", "-m"} // by rows
	script := strings.Join(s.a.operands[:min(1, len(s.a.operands))], "")
	shell, stdin := s.p.lang == "sh", slices.Contains(s.a.list, "-s") && s.p.lang == "sh"
	switch {
	case script != "-" && slices.ContainsFunc(s.a.options, func(o option) bool { return slices.Contains(judged, o.name) }):
		return Danger{}
	case script == "" || script == "-" || stdin || strings.HasPrefix(script, "/dev/"):
		return s.readsInput(shell, stdin || script != "")
	case strings.Contains(script, computed):
		return critical("execute")
	case outside(script) || temporary.MatchString(script):
		return critical("elsewhere")
	case s.c.wrote != nil && s.c.wrote(script):
		return critical("written")
	case tables().programs[programName(script)] != nil:
		return call{argv: s.a.list[s.a.at[0]:]}.judge(s.depth + 1)
	}
	return Danger{}
}

// readsInput judges an interpreter or a shell that executes its input; certain means that its arguments demand it.
func (s situation) readsInput(shell, certain bool) Danger {
	switch {
	case s.c.input == "text" && shell:
		return judgeScript(opened(s.c.text), s.depth+1)
	case s.c.input == "text":
		return judgeCode(s.p.lang, s.c.text)
	case s.c.input != "" || certain || shell:
		return critical("input")
	}
	return Danger{} // it waits for a user
}

var (
	findStarts  = []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
	findFilters = []string{"-name", "-iname", "-path", "-regex", "-empty", "-wholename"}
	removers    = []string{"rm", "unlink", "rmdir"}
)

// find judges find: what its actions start, on which files, and whether it removes what it finds.
func (s situation) find() (f Danger, end bool) {
	list := s.a.list
	actions := slices.IndexFunc(list, func(one string) bool { return strings.HasPrefix(one, "-") || one == "(" || one == "!" })
	roots := list[:max(actions, 0)]
	away, removes := slices.ContainsFunc(roots, outside), slices.Contains(list, "-delete")
	for _, inner := range startedByFind(list) {
		if f = f.and(call{argv: inner}.judge(s.depth + 1)); f.Class == Critical || away {
			return f.and(critical("delete")), true
		}
		removes = removes || slices.Contains(removers, programName(inner[0]))
	}
	if !removes {
		return f, true
	}
	filter := slices.IndexFunc(list, func(one string) bool { return slices.Contains(findFilters, one) })
	all := s.name == "find" && (filter < 0 || filter+1 < len(list) && list[filter+1] == "*")
	if away || all || len(roots) > 0 && inGit.MatchString(roots[0]) {
		return f.and(critical("delete")), true
	}
	return f, true
}

// startedByFind returns the commands of the actions of find; what it finds is computed.
func startedByFind(list []string) (all [][]string) {
	for i := 0; i < len(list); i++ {
		if !slices.Contains(findStarts, list[i]) {
			continue
		}
		end := i + 1
		for end < len(list) && list[end] != ";" && list[end] != "+" {
			end++
		}
		inner := slices.Clone(list[i+1 : end])
		for k := range inner {
			inner[k] = strings.ReplaceAll(inner[k], "{}", "found"+computed)
		}
		if len(inner) > 0 {
			all = append(all, inner)
		}
		i = end
	}
	return all
}
