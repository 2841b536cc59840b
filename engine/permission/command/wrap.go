package command

import (
	"slices"
	"strings"
)

// wrappers start the program that their arguments name: for each, the options that take a value, and how many plain arguments
// come before the program.
var wrappers = map[string]struct {
	values []string
	skip   int
}{
	"nice": {[]string{"-n", "--adjustment"}, 0}, "ionice": {[]string{"-c", "-n", "-p"}, 0}, "nohup": {nil, 0}, "time": {[]string{"-f", "-o"}, 0},
	"timeout": {[]string{"-s", "--signal", "-k", "--kill-after"}, 1}, "gtimeout": {[]string{"-s", "-k"}, 1}, "stdbuf": {[]string{"-i", "-o", "-e"}, 0},
	"setsid": {nil, 0}, "command": {nil, 0}, "builtin": {nil, 0}, "exec": {[]string{"-a"}, 0}, "busybox": {nil, 0}, "toybox": {nil, 0},
	"xargs": {[]string{"-n", "-P", "-I", "-L", "-d", "-a", "-s", "-E", "--max-args", "--max-procs", "--replace", "--delimiter", "--arg-file"}, 0},
	"npx":   {[]string{"-p", "--package"}, 0}, "bunx": {nil, 0}, "unshare": {nil, 0}, "flock": {[]string{"-w", "-E"}, 1}, "watch": {[]string{"-n", "--interval"}, 0}, "strace": {[]string{"-e", "-o"}, 0},
	"ltrace": {[]string{"-e", "-o"}, 0}, "taskset": {[]string{"-p"}, 1}, "numactl": {nil, 0}, "firejail": {nil, 0}, "faketime": {nil, 1}, "xvfb-run": {[]string{"-s", "-n"}, 0},
	"parallel": {[]string{"-j", "--jobs"}, 0}, "entr": {nil, 0}, "dotenv": {[]string{"-f", "-e"}, 0}, "caffeinate": {[]string{"-t", "-w"}, 0}, "winpty": {nil, 0},
	"doppler": {nil, 1}, "then": {nil, 0}, "rtk": {nil, 0}, "chrt": {nil, 1}, "prlimit": {nil, 0}, "catchsegv": {nil, 0}, "ld.so": {nil, 0}, "ld-linux-x86-64.so.2": {nil, 0},
	"linux64": {nil, 0}, "setarch": {nil, 1}, "cgexec": {[]string{"-g"}, 0}, "systemd-run": {[]string{"-p", "-u", "--unit"}, 0}, "dbus-run-session": {nil, 0}, "bwrap": {nil, 0},
}

// unwrap returns what a wrapper starts; wraps is false for other programs.
func unwrap(name string, list []string) (inner [][]string, wraps bool) {
	switch name {
	case "env":
		return unwrapEnv(list), true
	}
	if verbs, known := runners[name]; known && len(list) > 1 && slices.Contains(verbs, list[0]) {
		list = list[1:]
		name = "npx"
	}
	w, known := wrappers[name]
	if !known {
		return nil, false
	}
	i, skip := 0, w.skip
	for i < len(list) {
		switch option := list[i]; {
		case name == "npx" && (option == "-c" || option == "--call"):
			return [][]string{append([]string{"sh", "-c"}, rest(list, i+1)...)}, true
		case option == "--":
			i++
			return [][]string{rest(list, i+skip)}, true
		case slices.Contains(w.values, option):
			i += 2
		case strings.HasPrefix(option, "-"):
			i++
		case skip > 0:
			i, skip = i+1, skip-1
		default:
			return [][]string{list[i:]}, true
		}
	}
	return [][]string{nil}, true
}

// runners are programs of which some commands start the program that follows.
var runners = map[string][]string{
	"npm": {"exec", "x"}, "pnpm": {"exec", "dlx"}, "yarn": {"exec", "dlx"}, "bun": {"x"}, "poetry": {"run"}, "uv": {"run"}, "pipenv": {"run"}, "pipx": {"run"}, "hatch": {"run"}, "rye": {"run"},
	"pdm": {"run"}, "bundle": {"exec"}, "conda": {"run"}, "mise": {"exec", "x"}, "asdf": {"exec"}, "rtx": {"exec"}, "composer": {"exec"}, "op": {"run"}, "rbenv": {"exec"}, "pyenv": {"exec"},
}

func rest(list []string, from int) []string { return list[min(from, len(list)):] }

// unwrapEnv returns what env starts: after its options and variables.
func unwrapEnv(list []string) [][]string {
	for i := 0; i < len(list); i++ {
		switch option := list[i]; {
		case option == "-S" || option == "--split-string":
			return [][]string{{"sh", "-c", strings.Join(list[i+1:], " ")}}
		case strings.HasPrefix(option, "-S") || strings.HasPrefix(option, "--split-string="):
			text := strings.TrimPrefix(strings.TrimPrefix(option, "-S"), "--split-string=")
			return [][]string{{"sh", "-c", strings.Join(append([]string{text}, list[i+1:]...), " ")}}
		case option == "-u" || option == "--unset" || option == "-C" || option == "--chdir":
			i++
		case strings.HasPrefix(option, "-"):
		case strings.Contains(option, "="):
			if name, _, _ := strings.Cut(option, "="); variable(name) != "" {
				return [][]string{{"eval"}}
			}
		default:
			return [][]string{list[i:]}
		}
	}
	return [][]string{nil}
}

// unwrapFind returns what the actions of find start.
func unwrapFind(list []string) (inner [][]string) {
	for i := 0; i < len(list); i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}, list[i]) {
			continue
		}
		end := i + 1
		for end < len(list) && list[end] != ";" && list[end] != "+" {
			end++
		}
		inner = append(inner, list[i+1:end])
		i = end
	}
	return inner
}

// dangerous are variables that make other programs execute something, or hide it.
var dangerous = []string{
	"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "GIT_ASKPASS", "GIT_EXEC_PATH", "GIT_CONFIG_COUNT",
	"BASH_ENV", "PROMPT_COMMAND", "PERL5OPT", "PERL5DB", "RUBYOPT", "PYTHONSTARTUP", "PYTHONINSPECT", "IFS", "HISTFILE", "HISTSIZE", "HISTCONTROL", "LD_LIBRARY_PATH",
	"SSH_ASKPASS", "JAVA_TOOL_OPTIONS", "LESSOPEN",
}

// searched returns why the folders in which programs are searched may not be set: someone else may write there, or a model.
func searched(value string) string {
	first, _, _ := strings.Cut(value, ":")
	if temporary.MatchString(first+"/x") || first == "" || first == "." || strings.HasPrefix(first, "./") {
		return "lets programs of this folder, or of a temporary one, take the place of others"
	}
	return ""
}

// variable returns why an environment variable may not be set.
func variable(name string) string {
	if slices.Contains(dangerous, name) {
		return "sets " + name + ", which makes other programs execute something or hides what is done"
	}
	return ""
}
