package command

import (
	"strings"

	"forge/internal/lazyregexp"
)

var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "mksh": true, "ash": true, "fish": true, "rbash": true, "csh": true, "tcsh": true, "xonsh": true, "nu": true,
}

var interpreters = map[string]bool{
	"python": true, "pypy": true, "perl": true, "ruby": true, "node": true, "nodejs": true, "deno": true, "bun": true, "php": true, "lua": true, "luajit": true, "tclsh": true,
	"osascript": true, "jshell": true, "groovy": true, "scala": true, "julia": true, "r": true, "rscript": true, "ipython": true, "expect": true, "guile": true, "sbcl": true, "irb": true,
}

// shellCall judges a call of a shell.
func shellCall(name string, c call, depth int) string {
	a := args{name: name, list: c.argv[1:]}
	switch {
	case name == "powershell" || name == "pwsh":
		if a.contains("-enc", "-e ", "iex", "invoke-", "downloadstring", "remove-item", "set-executionpolicy", "start-process", "frombase64", "net.webclient", "-ec", "stop-computer", "format-volume", "clear-") {
			return "runs PowerShell that downloads, hides or destroys"
		}
		return ""
	case name == "cmd":
		if len(a.list) > 1 {
			return call{argv: strings.Fields(strings.Join(a.list[1:], " "))}.critical(depth + 1)
		}
		return ""
	case !shells[name]:
		return ""
	}
	for i, s := range a.list {
		if !strings.HasPrefix(s, "-") || strings.HasPrefix(s, "--") && s != "--command" {
			continue
		}
		if s == "--command" || strings.HasSuffix(s, "c") || strings.Contains(s, "c") && !strings.Contains(s, "no") {
			if i+1 >= len(a.list) || strings.Contains(a.list[i+1], unknown) && strings.TrimLeft(a.list[i+1], unknown+" ") == "" || strings.HasPrefix(a.list[i+1], unknown) {
				return "executes a text that is computed"
			}
			return criticalScript(strings.ReplaceAll(a.list[i+1], unknown, "$x"), depth+1)
		}
	}
	return c.read(a, depth)
}

// read judges a shell that reads a script: from its input, or from a file.
func (c call) read(a args, depth int) string {
	plain := a.plain()
	switch {
	case c.input == "text" && (len(plain) == 0 || a.has("-s")):
		return criticalScript(strings.ReplaceAll(c.text, unknown, "$x"), depth+1)
	case len(plain) == 0 && c.input == "pipe", a.has("-s"), len(plain) > 0 && (plain[0] == "-" || strings.HasPrefix(plain[0], "/dev/") || strings.HasPrefix(plain[0], "/proc/")):
		return "executes what it reads from its input"
	case len(plain) > 0 && strings.HasPrefix(plain[0], unknown):
		return "executes a script whose name is computed"
	case len(plain) > 0 && (outside(plain[0]) || temporary.MatchString(plain[0])):
		return "executes a script outside of the folder"
	}
	return ""
}

// codeCall judges the code that an interpreter is given: as an argument, by its input, or as a script.
func codeCall(name string, c call) string {
	if !interpreters[name] {
		return ""
	}
	a := args{name: name, list: c.argv[1:]}
	if reason, given := inlineCode(a); given {
		return reason
	}
	return c.script(a)
}

// inlineCode judges code that is an argument; given is false if there is none.
func inlineCode(a args) (reason string, given bool) {
	plain := a.plain()
	if (a.name == "perl" || a.name == "ruby") && a.short("i") && len(plain) > 0 && writesTo(plain[len(plain)-1]) != "" {
		return writesTo(plain[len(plain)-1]), true
	}
	for i, s := range a.list {
		if i+1 < len(a.list) && inline[s] {
			if strings.HasPrefix(a.list[i+1], unknown) {
				return "executes a text that is computed", true
			}
			return harmful(a.list[i+1]), true
		}
		if len(s) > 2 && s[0] == '-' && s[1] != '-' && strings.ContainsAny(s[1:], "ce") && !strings.HasPrefix(s, "-m") && i+1 < len(a.list) && strings.ContainsAny(a.list[i+1], "(;'\" ") {
			return harmful(a.list[i+1]), true // as in perl -ne
		}
		if strings.HasPrefix(s, "--eval=") || strings.HasPrefix(s, "--print=") || len(s) > 3 && (strings.HasPrefix(s, "-c") || strings.HasPrefix(s, "-e") || strings.HasPrefix(s, "-r")) {
			return harmful(s), true
		}
	}
	return "", false
}

// script judges a script, a module, or what an interpreter reads.
func (c call) script(a args) string {
	plain := a.plain()
	if module := a.after("-m"); len(module) > 0 && a.name != "perl" {
		return startsScript(module)
	}
	switch {
	case c.input == "text" && (len(plain) == 0 || plain[0] == "-"):
		return harmful(c.text)
	case c.input == "pipe" && (len(plain) == 0 && !a.any("-m", "-V", "--version", "-v") || len(plain) > 0 && (plain[0] == "-" || strings.HasPrefix(plain[0], "/dev/"))):
		return "executes what it reads from its input"
	case len(plain) > 0 && !a.has("-m") && (outside(plain[0]) || temporary.MatchString(plain[0])):
		return "executes a script outside of the folder"
	case len(plain) > 0:
		return startsScript(append([]string{plain[0]}, a.after(plain[0])...))
	}
	return ""
}

// startsScript judges a module or a script that is known by its name, such as twine or manage.py.
func startsScript(argv []string) string {
	if rule, has := rules()[programName(argv[0])]; has {
		return rule(args{name: programName(argv[0]), list: argv[1:]})
	}
	return ""
}

var inline = map[string]bool{"-c": true, "-e": true, "-E": true, "-r": true, "-p": true, "-pe": true, "-ne": true, "-le": true, "-nle": true, "-ple": true, "--eval": true, "--print": true, "eval": true, "-i": false, "-B": true, "-R": true}

// harm is what code says that starts processes, removes files, connects or hides itself.
var harm = lazyregexp.New(`(?i)(os\.system|subprocess|popen|pty\.spawn|shutil|rmtree|unlink|os\.remove|removedirs|os\.exec|execv|\bexec\b|\bexec\s*\(|\beval\b|\bsystem\b|\bqx\b|%x|` + "`" +
	`|child_process|spawn|execsync|rmsync|fs\.rm|rm_rf|rm_r\b|fileutils|socket|urllib|requests\.|http\.client|urlopen|open-uri|net/http|net\.connect|fetch\s*\(|file_get_contents\s*\(\s*['"]http|` +
	`base64|b64decode|unhexlify|fromcharcode|\bfork\b|__import__|getattr|compile\s*\(|marshal|pickle|ctypes|os\.kill|process\.kill|chmod|shell_exec|passthru|proc_open|io\.popen|os\.execute|` +
	`remove\s*\(|delete\s*\(|rename|writefilesync\s*\(\s*['"][/~]|open\s*\(\s*['"][/~][^)]*['"][wa]|os\.environ\b|process\.env\b|\benv\b\s*\[|getenv|do shell script|deno\.(run|command|remove)|bun\.spawn|\$\$|\x00|_exit|exit!|\bdd\b|\brm\s)`)

// harmful returns why code may not be executed.
func harmful(code string) string {
	if secrets.MatchString(code) {
		return "reaches for secrets or for what the user has typed"
	}
	if harm.MatchString(code) {
		return "is code that starts processes, removes files, connects, or hides what it does"
	}
	return ""
}
