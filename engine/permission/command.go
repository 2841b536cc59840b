package permission

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/internal/lazyregexp"
)

// DangerClass is how much is known about a command. The zero DangerClass is the mildest, and a greater one is worse.
type DangerClass int

// The classes.
const (
	Known    DangerClass = iota // the tables know every program of it, and nothing against it
	Unknown                     // it starts a program that the tables do not know
	Critical                    // no model may start it
)

// Danger is how dangerous a command is that a model asks to start. Critical ones destroy or publish what cannot be taken back, read
// secrets, change the machine, or hide what they do, and are never started.
//
//	argv ──► program ──► its block in tables/*.txt ──► Known, Unknown or Critical
//	            ▲   └ a row may name commands within: what a wrapper starts, a line for a shell, code
//	            └── a line is parsed by mvdan.cc/sh, and each simple command of it is judged the same way
//
// Invariants: doubt is critical: a line that cannot be parsed, a name of a program that only the shell computes, and code that does
// more than its vocabulary allows. A program without a block is Unknown, which the user is asked about in every mode, and everything in
// its arguments that could be a critical command makes it critical.
//
// It is a second lock and no proof: that a command is Known allows nothing (a Policy asks the user, and engine/sandbox confines it).
type Danger struct {
	Class    DangerClass
	Effect   string     // why it is critical, in one word of tables/effects.txt
	Reason   string     // a clause for users; empty if the class is Known
	Commands [][]string // every command found within, itself first; up to the one that is critical
}

// Judge judges a program with its arguments. There is no shell: the arguments are literal.
func Judge(argv []string) Danger { return call{argv: argv}.judge(0) }

// and joins the findings about two parts of a command: the worse one, with the commands of both.
func (f Danger) and(g Danger) Danger {
	commands := append(slices.Clip(f.Commands), g.Commands...)
	if g.Class > f.Class {
		f = g
	}
	f.Commands = commands
	return f
}

// critical is the finding for an effect, in the words of tables/effects.txt.
func critical(effect string) Danger {
	return Danger{Class: Critical, Effect: effect, Reason: tables().effects[effect]}
}

// maxDepth limits how deep commands may contain commands.
const maxDepth = 8

// computed replaces in a word what only the shell would know: the value of a variable, the output of a command.
const computed = "\x00"

// call is a program that is started.
type call struct {
	argv  []string
	input string            // how its standard input is set: "", "pipe", or "text"
	text  string            // of the input, if it is "text"
	local map[string]bool   // functions of the script
	wrote func(string) bool // reports whether the same script has written a file; nil is none
}

func (c call) judge(depth int) Danger {
	switch {
	case depth > maxDepth:
		return critical("depth")
	case len(c.argv) == 0 || strings.TrimSpace(c.argv[0]) == "":
		return critical("nameless")
	case len(c.argv) == 2 && slices.Contains([]string{"--version", "-V", "-version", "--help"}, c.argv[1]) && !strings.Contains(c.argv[0], "/"):
		return Danger{Commands: [][]string{c.argv}}
	case c.argv[0] != "[" && strings.ContainsAny(c.argv[0], computed+"*?[{`$"), strings.ContainsFunc(c.argv[0], foreign):
		return critical("computed")
	}
	f := Danger{Commands: [][]string{c.argv}}
	name := programName(c.argv[0])
	if secretIn(c.argv[1:]) {
		return f.and(critical("secret"))
	}
	if place := c.placed(); place.Class == Critical {
		return f.and(place)
	}
	p, known := tables().programs[name]
	switch {
	case known:
		return f.and(p.judge(c, name, depth))
	case c.local[c.argv[0]]:
		return f
	case strings.HasPrefix(name, "mkfs"):
		return f.and(critical("disk"))
	}
	return f.and(c.unknown(name, depth))
}

// placed judges the place of a program: one outside of the folder must be in a folder for installed programs.
func (c call) placed() Danger {
	program := c.argv[0]
	if c.wrote != nil && c.wrote(program) {
		return critical("written")
	}
	if strings.Contains(program, "/") && !installed.MatchString(program) && (temporary.MatchString(program) || outside(program)) {
		return critical("elsewhere")
	}
	return Danger{}
}

var installed = lazyregexp.New(`^(/usr|/usr/local|/opt/[\w.-]+|/nix/store/[\w.-]+|/snap)?/s?bin/[^/]+$`)

// unknown judges a program that no table knows: it may start what its arguments name.
func (c call) unknown(name string, depth int) Danger {
	f := Danger{Class: Unknown, Reason: "starts " + name + ", which Forge does not know"}
	for i, s := range c.argv[1:] {
		inner := Danger{}
		switch {
		case s == "" || strings.HasPrefix(s, "-") && !strings.Contains(s, " "):
		case strings.ContainsAny(s, " \t\n;|&`") || strings.Contains(s, "$("):
			inner = judgeScript(opened(s), depth+1)
			if inner.Effect == "unparsed" || inner.Effect == "computed" {
				continue // it is no line for a shell
			}
		case tables().programs[programName(s)] != nil && !strings.HasPrefix(s, ".") && !strings.Contains(s, computed) && !slices.Contains(vocabulary("english"), s):
			inner = call{argv: c.argv[i+1:]}.judge(depth + 1)
		}
		if f = f.and(inner); f.Class == Critical {
			break
		}
	}
	return f
}

// foreign reports whether a letter in the name of a program only looks like one of ASCII, or cannot be seen.
func foreign(r rune) bool { return r > unicode.MaxASCII || unicode.IsControl(r) }

// programName is the name of a program without its folder, its extension and its version: /usr/bin/python3.11 is python.
func programName(program string) string {
	name := strings.ToLower(path.Base(strings.ReplaceAll(program, `\`, "/")))
	for _, extension := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	if versioned.MatchString(name) {
		name = strings.TrimRight(name, "0123456789.-")
	}
	return name
}

var versioned = lazyregexp.New(`^(python|pip|pypy|perl|ruby|node|php|lua|bash|gcc|g\+\+|clang|clang-format|clang-tidy|gem|vim)[\d.-]+$`)

// opened is a text with the values that only the shell would know as variables, as a script has them.
func opened(text string) string { return strings.ReplaceAll(text, computed, "$x") }
