package javascript

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// stepKind is the meaning of a command of the script "test" for the gates.
type stepKind int

const (
	stepNothing stepKind = iota // it checks nothing, or another gate makes the check
	stepTests                   // it runs tests with a known runner
	stepStrange                 // it runs tests with another program
	stepCheck                   // a linter, a check of types, or a command after the tests
	stepBuild                   // it builds something for the following steps
	stepOutside                 // it would install something, or use a registry
	stepShell                   // only a shell can run it
)

// step is a command of the script "test", or of a script that npm runs around it.
type step struct {
	kind    stepKind
	program string
	argv    []string // set if the step can start without a shell
	call    npm.Call
	missing bool // its program is not installed
}

// testScript is the script "test" of a project.
type testScript struct {
	project *npm.Project
	steps   []step // its commands and those of the scripts that it calls, with npm's lifecycle scripts, in order
}

// readScript parses the script "test".
func readScript(p *npm.Project) testScript {
	var all []step
	for _, c := range p.Flat("test", npm.MaxDepth) {
		all = append(all, stepOf(p, c))
	}
	last := -1
	for i, s := range all {
		if s.kind == stepTests || s.kind == stepStrange {
			last = i
		}
	}
	if last < 0 {
		last = takeForTests(p, all)
	}
	for i, s := range all {
		if s.kind == stepBuild && i > last && !slices.ContainsFunc(all[i:], func(s step) bool { return s.kind == stepCheck }) {
			all[i].kind = stepCheck // nothing uses its output: a successful build is the check
			if isFiles(s.program) {
				all[i].kind = stepNothing
			}
		}
	}
	return testScript{p, all}
}

// takeForTests takes the unknown programs of a script without a known one for what runs its tests, and returns the index of the last; -1 without
// any. If one is not installed in the project, such as a script of a shell, they stay as they are: only npm can run the script then.
func takeForTests(p *npm.Project, all []step) (last int) {
	var unknown []int
	for i, s := range all {
		ofPackages := s.program == "node" && p.IsWorkspace() // it probably starts the scripts of the packages
		if s.kind == stepBuild && !isFiles(s.program) && !builder.MatchString(s.program) && !ofPackages {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) == 0 {
		return -1
	}
	if !slices.ContainsFunc(unknown, func(i int) bool { return all[i].missing }) {
		for _, i := range unknown {
			all[i].kind = stepStrange
		}
	}
	return unknown[len(unknown)-1]
}

// strangers are programs that run tests with unreadable output; the words must follow the program, if any.
var strangers = map[string]string{
	"jasmine": "", "qunit": "", "karma": "", "lab": "", "borp": "", "wtr": "", "web-test-runner": "", "poku": "", "zora": "", "pta": "", "baretest": "", "brittle": "", "twist": "",
	"bun": "test", "deno": "test", "react-scripts": "test", "craco": "test", "ng": "test", "playwright": "test", "cypress": "run", "tstest": "", "aegir": "test",
	"wireit": "", "lerna": "", "turbo": "", "nx": "", "moon": "", "hereby": "", "gulp": "", "grunt": "", "make": "", "just": "",
}

var (
	// checker matches programs that check code and run no tests.
	checker = lazyregexp.New(`^(?:xo|(?:semi|ts-)?standard|tsd|tsd-lite|tstyche|vue-tsc|svelte-check|size-limit|bundlesize|publint|attw|knip|madge|biome|oxfmt|dprint|jscs|` +
		`remark|alex|cspell|eclint|evalmd|type-coverage|ls-engines|.*lint.*|.*check.*|.*-audit|.*coverage)$`)
	// builder matches programs that write files for others and run no tests.
	builder = lazyregexp.New(`^(?:tsc|vue-tsc|tsgo|babel|swc|esbuild|rollup|webpack|webpack-cli|vite|parcel|tsup|tsdown|unbuild|microbundle|ncc|sass|postcss|node-gyp|node-gyp-build|next|nuxt|nuxi|astro|gatsby|typedoc|` +
		`npm|pnpm|yarn|bun)$`)
	nothing  = []string{"echo", "true", "exit", "sleep", "export", "set", "git", "husky", "wait-on", "open", "open-cli", ":", "printf", "test", "["}
	onFiles  = []string{"rm", "rimraf", "cp", "cpy", "mv", "mkdir", "mkdirp", "shx", "del", "del-cli", "cat", "touch", "chmod", "copyfiles", "ncp", "gzip-size"}
	managers = []string{"npm", "pnpm", "yarn", "bun", "npx", "bunx", "lerna"}
	// plainProject are arguments that name tsc's default settings.
	plainProject = []string{".", "./", "tsconfig.json", "./tsconfig.json"}
)

func isFiles(program string) bool { return slices.Contains(onFiles, program) }

// stepOf classifies a command.
func stepOf(p *npm.Project, c npm.Command) step {
	s := step{kind: stepShell}
	if found, ok := npm.CallOf(c.Words, known()); ok && c.Sound {
		s.call, s.program = found, found.Program
		if found.Program == "node" || found.Program == "tsx" {
			return nodeStep(p, s)
		}
		s.kind = stepTests
		return s
	}
	s.call = programIn(p, c.Words)
	s.program = s.call.Program
	follows, strange := strangers[s.program]
	strange = strange && (follows == "" || slices.ContainsFunc(s.call.Args, func(w npm.Word) bool { return w.Text == follows }))
	if !c.Sound {
		return s
	}
	s.kind = kindOf(p, s, strange)
	if s.kind == stepNothing || s.kind == stepOutside {
		return s
	}
	s.argv, s.missing = started(p, s)
	return s
}

// kindOf classifies a program that is not a test runner.
func kindOf(p *npm.Project, s step, strange bool) stepKind {
	args := npm.TextsOf(s.call.Args)
	switch name := s.program; {
	case strange:
		return stepStrange
	case name == "" || slices.Contains(nothing, name) || hasGate(p, name):
		return stepNothing
	case name == "cd":
		return stepShell
	case name == "tsc" || name == "vue-tsc" || name == "tsgo":
		return compiles(p, args)
	case installs(name, args):
		return stepOutside
	case checker.MatchString(name):
		return stepCheck
	}
	return stepBuild
}

// hasGate reports whether a program has its own gate.
func hasGate(p *npm.Project, program string) bool {
	return program == "eslint" && lints(p) || program == "prettier" && formats(p)
}

// installs reports whether a program would install something, or use a registry.
func installs(program string, args []string) bool {
	if slices.Contains(managers, program) {
		return len(args) == 0 || args[0] != "run" && args[0] != "run-script"
	}
	return (program == "playwright" || program == "puppeteer") && slices.Contains(args, "install")
}

// compiles classifies a call of the compiler.
func compiles(p *npm.Project, args []string) stepKind {
	plain := true
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		if !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if name == "-p" || name == "--project" {
			plain = slices.Contains(plainProject, value)
		}
		if !strings.HasPrefix(arg, "-") && (i == 0 || args[i-1] != "-p" && args[i-1] != "--project") && testrun.CodeName.MatchString(arg) {
			plain = false // files
		}
	}
	writes := !slices.ContainsFunc(args, func(arg string) bool { return strings.EqualFold(arg, "--noEmit") })
	switch {
	case writes:
		return stepBuild
	case plain && hasTypes(p):
		return stepNothing
	}
	return stepCheck
}

// nodeStep classifies a call of node: its own test runner, a test file, or a script.
func nodeStep(p *npm.Project, s step) step {
	through := throughNode(s.call)
	if through.Program != s.program {
		s.call, s.program, s.kind = through, through.Program, stepTests
		return s
	}
	if _, is := nodeSuite(p, s.call); is {
		s.kind = stepTests
		return s
	}
	s.kind = stepBuild
	for _, w := range s.call.Args {
		if file := path.Clean(w.Text); testrun.CodeName.MatchString(file) && testrun.IsTest(file) || strings.Contains(w.Text, "node_modules/") && isStranger(npm.ProgramOf(w.Text)) {
			s.kind = stepStrange
		}
	}
	s.argv, s.missing = started(p, s)
	return s
}

func isStranger(program string) bool { _, is := strangers[program]; return is }

// programIn returns the program that a command starts, after variables and wrappers.
func programIn(p *npm.Project, words []npm.Word) (c npm.Call) {
	wrapped := false
	for i, w := range words {
		name := npm.ProgramOf(w.Text)
		at := strings.IndexByte(w.Text, '=')
		switch {
		case at > 0 && !strings.HasPrefix(w.Text, "-") && npm.IsName(w.Text[:at]):
			c.Env = append(c.Env, w.Text)
		case strings.HasPrefix(w.Text, "-"):
		case slices.Contains(npm.Wrappers, name) && !slices.Contains(managers, name) || slices.Contains([]string{"npx", "bunx", "yarn", "pnpm"}, name) && i+1 < len(words) && p.Binary(npm.ProgramOf(words[i+1].Text)) != "":
			wrapped = true
		case !wrapped || p.Binary(name) != "" || i == len(words)-1:
			c.Program, c.Args = name, words[i+1:]
			return c
		}
	}
	return c
}

// started returns the arguments of a step, and whether its program is missing. Patterns are expanded as by the shell.
func started(p *npm.Project, s step) (argv []string, missing bool) {
	program := s.program
	if program != "node" && program != "npm" && !isPlain(program) {
		if program = p.Binary(s.program); program == "" {
			return nil, true
		}
	}
	argv = []string{program}
	for _, w := range s.call.Args {
		if !w.Quoted && strings.ContainsAny(w.Text, "*?[") {
			argv = append(argv, p.Expanded(w.Text)...)
		} else {
			argv = append(argv, w.Text)
		}
	}
	return argv, false
}

// isPlain reports whether every system has the program.
func isPlain(program string) bool {
	return slices.Contains([]string{"rm", "cp", "mv", "mkdir", "cat", "touch", "chmod", "make"}, program)
}

// strange returns a suite of a program with unreadable output: only its exit code, and the files that Node.js executed, are known.
func strange(p *npm.Project, s step) suite {
	return suite{program: s.program, argv: s.argv, env: append(lifecycle(p), s.call.Env...), parse: silent, doubt: undoubted, witnessed: true}
}

// wholeScript returns a suite that npm runs as a whole, because its steps cannot be separated.
func wholeScript() suite {
	return suite{program: testrun.WholeProgram, argv: []string{"npm", "run", "--silent", "test"}, parse: silent, doubt: undoubted, witnessed: true}
}

func silent(string, string, tool.Root) testrun.Results { return testrun.Results{} }

func undoubted(testrun.Seal, *testrun.Results, string, tool.Root) {}

// lifecycle returns the environment of npm's scripts. https://docs.npmjs.com/cli/using-npm/scripts#environment
func lifecycle(p *npm.Project) []string {
	return []string{
		"npm_lifecycle_event=test", "npm_command=test", "npm_package_name=" + p.Name,
		"npm_package_json=" + filepath.Join(p.Dir, npm.ManifestName), "npm_config_user_agent=npm/10.9.0", "INIT_CWD=" + p.Dir,
	}
}

// make runs the script's build steps before tests. Their faults are reported in addition to those of the tests.
func (g *testGate) make(ctx context.Context, tree gate.Tree, p *npm.Project, s suite, report *gate.Report) (beside []gate.Finding, done bool) {
	r := tool.RootOf(tree)
	for _, m := range s.made {
		t := g.tools
		t.Env = slices.Concat(t.Env, lifecycle(p), m.call.Env)
		result, done := t.Run(ctx, tree, report, g.limit, m.argv...)
		if done {
			return nil, true
		}
		if result.ExitCode != 0 {
			beside = append(beside, testrun.FailedStep(m.program, testrun.RuleLoad, result, r)...)
		}
	}
	return beside, false
}

var shellNotFound = lazyregexp.New(`(?m)^(?:/bin/)?sh: (?:\d+: |line \d+: )?([\w@./-]+): (?:command )?not found$`)

// notFound reports whether npm's shell did not find a program.
func notFound(result sandbox.Result, p *npm.Project, report *gate.Report) bool {
	m := shellNotFound.FindStringSubmatch(string(result.Stderr))
	if result.ExitCode != tool.NotFound || m == nil {
		return false
	}
	p.Lacks(m[1]).NotRun(report)
	return true
}
