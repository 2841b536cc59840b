package command

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

func addFiles(add func(r rule, names ...string)) {
	add(remove, "rm", "unlink", "del", "erase", "trash", "rimraf", "srm")
	add(removeFolder, "rmdir", "rd")
	add(findRule, "find", "fd", "fdfind")
	add(modes, "chmod", "chown", "chgrp")
	add(disk, "dd", "dcfldd", "ddrescue")
	add(written, "tee", "touch", "mkdir", "install", "ln", "truncate", "sponge", "mkfifo", "mknod", "fallocate", "patch")
	add(copied, "cp", "mv", "rsync", "move", "copy", "xcopy", "robocopy", "ditto")
	add(inPlace, "sed", "gsed", "awk", "gawk", "mawk", "nawk", "perl-edit", "ed", "ex", "vi", "vim", "nvim", "emacs", "nano")
	add(archives, "tar", "gtar", "bsdtar", "zip", "unzip", "cpio", "7z")
	add(kills, "kill")
	add(services, "systemctl", "service", "rc-service", "journalctl", "loginctl")
	add(sourced, "source", ".")
	add(trapped, "trap", "alias", "export", "declare", "unset", "set", "shopt", "readonly", "typeset", "hash", "enable", "bind", "complete")
}

// remove is rm.
func remove(a args) string {
	recursive := a.short("rR") || a.long("--recursive") || a.any("/s", "/S") || a.name == "rimraf"
	if a.long("--no-preserve-root") {
		return "removes everything"
	}
	for _, p := range a.plain() {
		switch {
		case p == "/s" || p == "/q" || p == "/S" || p == "/Q" || p == "/f":
		case outside(p) || startup.MatchString(p):
			return "removes what is outside of the folder, or may be"
		case whole(p):
			return "removes everything in the folder, or its history"
		case recursive && strings.Contains(p, unknown):
			return "removes folders whose names are computed"
		case strings.HasPrefix(p, "{") && strings.Contains(p, ","), recursive && (strings.HasPrefix(p, "*") && !strings.Contains(strings.Trim(p, "*"), ".") || p == "?"):
			return "removes everything in the folder"
		}
	}
	return ""
}

func removeFolder(a args) string {
	if a.any("/s", "/S") || slices.ContainsFunc(a.plain(), outside) {
		return "removes folders with everything in them"
	}
	return ""
}

// deletes reports whether find removes what it finds.
func deletes(a args) bool {
	return a.any("-delete", "--delete") || slices.ContainsFunc(unwrapFind(a.list), func(inner []string) bool {
		return len(inner) > 0 && slices.Contains([]string{"rm", "unlink", "shred", "rmdir"}, path.Base(inner[0]))
	})
}

// findRule is find, whose actions are judged first.
func findRule(a args) string {
	var roots []string
	for _, s := range a.list {
		if strings.HasPrefix(s, "-") || s == "(" || s == "!" {
			break
		}
		roots = append(roots, s)
	}
	if slices.ContainsFunc(roots, outside) && len(unwrapFind(a.list)) > 0 {
		return "starts programs on files outside of the folder"
	}
	for _, inner := range unwrapFind(a.list) {
		if reason := (call{argv: inner}).critical(a.depth + 1); reason != "" {
			return reason
		}
	}
	if target := a.value("-fprint", "-fprintf", "-fls"); target != "" && writesTo(target) != "" {
		return writesTo(target)
	}
	if !deletes(a) {
		return ""
	}
	filtered := a.any("-name", "-iname", "-path", "-regex", "-empty", "-wholename")
	switch {
	case slices.ContainsFunc(roots, outside), a.name != "find":
		return "removes what is outside of the folder, or may be"
	case !filtered || a.value("-name") == "*", len(roots) > 0 && inGit.MatchString(roots[0]):
		return "removes everything in the folder"
	}
	return ""
}

// modes are chmod, chown and chgrp.
func modes(a args) string {
	recursive := a.short("R") || a.long("--recursive")
	plain := a.plain()
	switch {
	case a.name != "chmod":
		return "changes who owns files"
	case slices.ContainsFunc(plain[min(1, len(plain)):], func(p string) bool { return outside(p) || recursive && whole(p) }):
		return "changes the rights of files outside of the folder, or of all of them"
	case len(plain) > 0 && wideMode.MatchString(plain[0]), a.any("-x", "-rwx", "-r", "-w") && recursive:
		return "gives everyone rights, or the rights of another user"
	case recursive && len(plain) > 1 && inGit.MatchString(plain[1]):
		return "changes the git directory"
	}
	return ""
}

var wideMode = lazyregexp.New(`(^[0-7]?(777|666|000)$|^[2-7][0-7]{3}$|[ug]?\+s|^(a|o|ugo|\+).*w|s$)`)

func disk(a args) string {
	for _, s := range a.list {
		if target, is := strings.CutPrefix(s, "of="); is && (outside(target) || writesTo(target) != "" || strings.HasPrefix(target, "/dev/")) {
			return "overwrites a disk or a file outside of the folder"
		}
		if source, is := strings.CutPrefix(s, "if="); is && outside(source) {
			return "copies a disk or a file outside of the folder"
		}
	}
	return ""
}

// written are programs that write the files that they are given.
func written(a args) string {
	for _, p := range a.plain() {
		if reason := writesTo(p); reason != "" && !(a.name == "tee" && harmless.MatchString(p)) {
			return reason
		}
	}
	return ""
}

// copied are programs that copy or move.
func copied(a args) string {
	plain := a.plain()
	for i, p := range plain {
		if strings.Contains(p, ":") && a.name == "rsync" && !windowsRoot.MatchString(p) {
			return "copies from or to another machine"
		}
		if i == len(plain)-1 && writesTo(p) != "" || a.name == "mv" && (outside(p) || inGit.MatchString(p)) || i == len(plain)-1 && a.name == "mv" && harmless.MatchString(p) {
			return "writes or moves what is outside of the folder"
		}
		if i < len(plain)-1 && (p == "/" || strings.HasPrefix(p, "/etc") || p == "~" || strings.HasPrefix(p, "~/.") || strings.HasPrefix(p, "/root") || strings.HasPrefix(p, "/home")) {
			return "copies files of the user or of the machine"
		}
	}
	if a.name == "rsync" && (a.long("--rsh", "--remove-source-files") || a.short("e")) || a.any("/MIR", "/PURGE", "/mir", "/purge") {
		return "starts another program, or removes what it copies"
	}
	if a.long("--target-directory") || a.name != "rsync" && a.has("-t") {
		return writesTo(a.value("-t", "--target-directory"))
	}
	return ""
}

// inPlace are editors: they may change files outside, and some of them execute commands.
func inPlace(a args) string {
	editor := a.name == "vi" || a.name == "vim" || a.name == "nvim" || a.name == "ex" || a.name == "ed" || a.name == "emacs"
	if editor && (a.contains("!", "system(", "shell-command", ":sh", "--eval", "delete-directory", "call-process") || a.has("-f")) {
		return "starts programs from an editor"
	}
	awk := strings.HasSuffix(a.name, "awk")
	for i, s := range a.list {
		switch {
		case awk && (strings.Contains(s, "system(") || strings.Contains(s, "system (") || strings.Contains(s, `| "`) || strings.Contains(s, `|"`) || strings.Contains(s, `" |`) || strings.Contains(s, `"|`) || strings.Contains(s, "/inet/")):
			return "starts programs from a script"
		case !awk && strings.HasSuffix(a.name, "sed") && sedExecutes(s):
			return "starts programs from a script"
		case i > 0 && strings.HasSuffix(a.name, "sed") && (a.short("i") || a.long("--in-place")) && writesTo(s) != "" && !strings.Contains(s, ";") && !strings.HasPrefix(s, "/^"):
			if i == len(a.list)-1 || strings.HasPrefix(s, "~") {
				return writesTo(s)
			}
		}
	}
	return ""
}

// sedExecutes reports whether a script of sed executes or writes something: the command e or w, or their flags of s.
func sedExecutes(script string) bool {
	if sedCommand.MatchString(script) {
		return true
	}
	if len(script) < 4 || script[0] != 's' || strings.ContainsAny(script[1:2], "abcdefghijklmnopqrstuvwxyz0123456789") {
		return false
	}
	parts := strings.Split(script[2:], script[1:2])
	return len(parts) >= 3 && strings.ContainsAny(parts[2], "ew")
}

var sedCommand = lazyregexp.New(`^(\d+|\$|/[^/]*/)?e( .+)?$|^(\d+|\$|/[^/]*/)?w /`)

func archives(a args) string {
	switch {
	case a.long("--checkpoint-action", "--to-command", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script"), a.value("-I") != "" && a.name != "unzip" && a.name != "zip", a.name == "zip" && (a.any("-TT", "--unzip-command") || a.contains("-tt")):
		return "starts another program"
	case a.short("P") && strings.HasSuffix(a.name, "tar"), outside(orDot(a.value("-C", "--directory", "-d"))), a.long("--remove-files") && a.name != "unzip", a.long("--absolute-names"):
		return "writes outside of the folder, or removes what it packs"
	}
	for _, p := range a.plain() {
		if p == "/" || p == "~" || strings.HasPrefix(p, "/etc") || strings.HasPrefix(p, "/home") || strings.HasPrefix(p, "/root") || strings.HasPrefix(p, "~/.") || p == "/var" {
			return "packs files of the user or of the machine"
		}
	}
	return ""
}

func orDot(p string) string {
	if p == "" {
		return "."
	}
	return p
}

func kills(a args) string {
	for _, s := range a.list {
		if s == "-1" || s == "1" || s == "0" || strings.Contains(s, unknown) {
			return "ends processes of others"
		}
	}
	return ""
}

// services may only be looked at.
func services(a args) string {
	looks := []string{"status", "list-units", "list-unit-files", "show", "is-active", "is-enabled", "cat", "list-timers", "--version", "help", "is-failed", "list-sessions"}
	plain := a.plain()
	if a.name == "service" || a.name == "rc-service" {
		if len(plain) > 1 && plain[1] == "status" || a.has("--status-all") {
			return ""
		}
		return "changes services of the machine"
	}
	if a.name == "journalctl" {
		if a.long("--vacuum-time", "--vacuum-size", "--rotate", "--flush") {
			return "removes what the machine has logged"
		}
		return ""
	}
	if slices.Contains(looks, a.verb()) || len(plain) == 0 {
		return ""
	}
	return "changes services of the machine"
}

// sourced is a script that the shell itself executes.
func sourced(a args) string {
	if len(a.list) == 0 {
		return ""
	}
	if p := a.list[0]; strings.HasPrefix(p, unknown) || outside(p) || strings.HasPrefix(p, "/") {
		return "executes a script outside of the folder"
	}
	return ""
}

// trapped are builtins with which a shell executes something later, or hides what it did.
func trapped(a args) string {
	for i, s := range a.list {
		name, value, assigned := strings.Cut(s, "=")
		if reason := variable(name); reason != "" {
			return reason
		}
		if a.name == "alias" && assigned || a.name == "trap" && i == 0 && !strings.HasPrefix(s, "-") {
			script := value
			if a.name == "trap" {
				script = s
			}
			if reason := criticalScript(strings.ReplaceAll(script, unknown, "$x"), a.depth+1); reason != "" && script != "" {
				return reason
			}
		}
	}
	if a.name == "export" && a.contains("path=/tmp", "path=.:", "path=./") || a.name == "set" && a.contains("+o history") || a.name == "set" && a.has("history") || a.name == "enable" && a.has("-f") || a.name == "bind" && a.has("-x") || a.name == "hash" && a.has("-p") {
		return "replaces programs, or hides what is done"
	}
	return ""
}
