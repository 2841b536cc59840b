package javascript

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// stepKind is what a command of the script "test" is to the gates.
type stepKind int

const (
	stepNothing stepKind = iota // it checks nothing, or another gate makes the check
	stepTests                   // it runs tests with a runner that is known
	stepStrange                 // it runs tests with another program
	stepCheck                   // a linter, a check of types, and whatever comes behind the tests
	stepBuild                   // it makes what comes behind it works on
	stepOutside                 // it would install something, or ask a registry
	stepShell                   // only a shell can make sense of it
)

// step is a command of the script "test", or of one that npm runs around it.
type step struct {
	kind    stepKind
	program string
	argv    []string // where the step can be started by itself
	call    call
	missing bool // its program is not installed
}

// steps are the commands of the script "test" and of those that it calls, with what npm runs around them, in order.
func (p *project) steps() (all []step) {
	for _, c := range p.flat("test", maxDepth) {
		all = append(all, p.step(c))
	}
	runs := func(s step) bool { return s.kind == stepTests || s.kind == stepStrange }
	last := -1
	for i, s := range all {
		if runs(s) {
			last = i
		}
	}
	for i, s := range all {
		if s.kind == stepBuild && i > last && !slices.ContainsFunc(all[i:], func(s step) bool { return s.kind == stepCheck }) {
			all[i].kind = stepCheck // nothing uses what it makes: that it can be made is the check
			if isFiles(s.program) {
				all[i].kind = stepNothing
			}
		}
	}
	return all
}

// flat are the commands of a script, through the scripts that it calls.
func (m manifest) flat(script string, depth int) (all []command) {
	if depth == 0 {
		return nil
	}
	for _, name := range []string{"pre" + script, script, "post" + script} {
		for _, c := range commands(m.Scripts[name]) {
			others := m.called(c.words)
			for _, other := range others {
				all = append(all, m.flat(other, depth-1)...)
			}
			if len(others) == 0 {
				all = append(all, c)
			}
		}
	}
	return all
}

// strangers are programs that run tests and that Forge cannot read; the words are those that have to follow, if any.
var strangers = map[string]string{
	"jasmine": "", "qunit": "", "karma": "", "lab": "", "borp": "", "wtr": "", "web-test-runner": "", "poku": "", "zora": "", "pta": "", "baretest": "", "brittle": "", "twist": "",
	"bun": "test", "deno": "test", "react-scripts": "test", "craco": "test", "ng": "test", "playwright": "test", "cypress": "run", "tstest": "", "aegir": "test",
	"wireit": "", "lerna": "", "turbo": "", "nx": "", "moon": "", "hereby": "", "gulp": "", "grunt": "", "make": "", "just": "",
}

var (
	// checker is how programs are called that check code and run no tests.
	checker = lazyregexp.New(`^(?:xo|(?:semi|ts-)?standard|tsd|tsd-lite|tstyche|vue-tsc|svelte-check|size-limit|bundlesize|publint|attw|knip|madge|biome|oxfmt|dprint|jscs|` +
		`remark|alex|cspell|eclint|evalmd|type-coverage|ls-engines|.*lint.*|.*check.*|.*-audit|.*coverage)$`)
	nothing  = []string{"echo", "true", "exit", "sleep", "export", "set", "git", "husky", "wait-on", "open", "open-cli", ":", "printf", "test", "["}
	onFiles  = []string{"rm", "rimraf", "cp", "cpy", "mv", "mkdir", "mkdirp", "shx", "del", "del-cli", "cat", "touch", "chmod", "copyfiles", "ncp", "gzip-size"}
	managers = []string{"npm", "pnpm", "yarn", "bun", "npx", "bunx", "lerna"}
	// plainProject is what names the settings that tsc reads without being told.
	plainProject = []string{".", "./", "tsconfig.json", "./tsconfig.json"}
)

func isFiles(program string) bool { return slices.Contains(onFiles, program) }

// step tells what a command is.
func (p *project) step(c command) step {
	s := step{kind: stepShell}
	if found, ok := callOf(c.words, known()); ok && c.sound {
		s.call, s.program = found, found.program
		if found.program == "node" || found.program == "tsx" {
			return p.nodeStep(s)
		}
		s.kind = stepTests
		return s
	}
	s.call = p.program(c.words)
	s.program = s.call.program
	follows, strange := strangers[s.program]
	strange = strange && (follows == "" || slices.ContainsFunc(s.call.args, func(w word) bool { return w.text == follows }))
	if !c.sound {
		return s
	}
	s.kind = p.kind(s, strange)
	if s.kind == stepNothing || s.kind == stepOutside {
		return s
	}
	s.argv, s.missing = p.started(s)
	return s
}

// kind tells what a program does that is no runner of tests.
func (p *project) kind(s step, strange bool) stepKind {
	args := texted(s.call.args)
	switch name := s.program; {
	case strange:
		return stepStrange
	case name == "" || slices.Contains(nothing, name) || p.hasGate(name):
		return stepNothing
	case name == "cd":
		return stepShell
	case name == "tsc" || name == "vue-tsc" || name == "tsgo":
		return p.compiles(args)
	case installs(name, args):
		return stepOutside
	case checker.MatchString(name):
		return stepCheck
	}
	return stepBuild
}

// hasGate reports whether a program has a gate of its own.
func (p *project) hasGate(program string) bool {
	return program == "eslint" && p.lints() || program == "prettier" && p.formats()
}

// installs reports whether a program would install something, or ask a registry.
func installs(program string, args []string) bool {
	if slices.Contains(managers, program) {
		return len(args) == 0 || args[0] != "run" && args[0] != "run-script"
	}
	return (program == "playwright" || program == "puppeteer") && slices.Contains(args, "install")
}

// compiles tells what a call of the compiler is for.
func (p *project) compiles(args []string) stepKind {
	plain := true
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if name == "-p" || name == "--project" {
			plain = slices.Contains(plainProject, value)
		}
		if !strings.HasPrefix(arg, "-") && (i == 0 || args[i-1] != "-p" && args[i-1] != "--project") && codeName.MatchString(arg) {
			plain = false // files
		}
	}
	writes := !slices.ContainsFunc(args, func(arg string) bool { return strings.EqualFold(arg, "--noEmit") })
	switch {
	case writes:
		return stepBuild
	case plain && p.hasTypes():
		return stepNothing
	}
	return stepCheck
}

// nodeStep tells what a call of node is: of its own runner, of a file of tests, or of a script.
func (p *project) nodeStep(s step) step {
	through := p.throughNode(s.call)
	if through.program != s.program {
		s.call, s.program, s.kind = through, through.program, stepTests
		return s
	}
	if _, is := p.nodeSuite(s.call); is {
		s.kind = stepTests
		return s
	}
	s.kind = stepBuild
	for _, w := range s.call.args {
		if file := path.Clean(w.text); codeName.MatchString(file) && IsTest(file) || strings.Contains(w.text, "node_modules/") && isStranger(programOf(w.text)) {
			s.kind = stepStrange
		}
	}
	s.argv, s.missing = p.started(s)
	return s
}

func isStranger(program string) bool { _, is := strangers[program]; return is }

// program finds the program that a command starts: behind variables, and behind what only starts another one.
func (p *project) program(words []word) (c call) {
	wrapped := false
	for i, w := range words {
		name := programOf(w.text)
		at := strings.IndexByte(w.text, '=')
		switch {
		case at > 0 && !strings.HasPrefix(w.text, "-") && isName(w.text[:at]):
			c.env = append(c.env, w.text)
		case strings.HasPrefix(w.text, "-"):
		case slices.Contains(wrappers, name) && !slices.Contains(managers, name) || (name == "npx" || name == "bunx") && i+1 < len(words) && p.binary(programOf(words[i+1].text)) != "":
			wrapped = true
		case !wrapped || p.binary(name) != "" || i == len(words)-1:
			c.program, c.args = name, words[i+1:]
			return c
		}
	}
	return c
}

// started is what a step is started with, and whether its program is missing. Patterns of files are what the shell would make of them.
func (p *project) started(s step) (argv []string, missing bool) {
	program := s.program
	if program != "node" && program != "npm" && !isPlain(program) {
		if program = p.binary(s.program); program == "" {
			return nil, true
		}
	}
	argv = []string{program}
	for _, w := range s.call.args {
		if !w.quoted && strings.ContainsAny(w.text, "*?[") {
			argv = append(argv, p.expanded(w.text)...)
		} else {
			argv = append(argv, w.text)
		}
	}
	return argv, false
}

// isPlain are programs that every system has.
func isPlain(program string) bool {
	return slices.Contains([]string{"rm", "cp", "mv", "mkdir", "cat", "touch", "chmod", "make"}, program)
}
