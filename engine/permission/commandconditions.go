package permission

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// tests are the conditions on operands and values that the tables name.
var tests = map[string]func(string) bool{
	"any":      func(string) bool { return true },
	"outside":  outside,
	"whole":    whole,
	"startup":  startup.MatchString,
	"computed": func(s string) bool { return strings.Contains(s, computed) },
	"writes":   func(s string) bool { return writesTo(s).Class == Critical },
	"git":      inGit.MatchString,
	"device":   func(s string) bool { return strings.HasPrefix(s, "/dev/") },
	"personal": personal,
	// everything is a pattern for all files of a folder.
	"everything": func(s string) bool {
		return strings.HasPrefix(s, "*") && !strings.Contains(strings.Trim(s, "*"), ".") || s == "?" || strings.HasPrefix(s, "{") && strings.Contains(s, ",")
	},
	"config": gitConfig.MatchString,
	"mode":   wideMode.MatchString,
	"sql":    destructive.MatchString,
	"url": func(s string) bool {
		return strings.Contains(s, "://") || strings.HasPrefix(s, "git@") || strings.HasPrefix(s, "git+") || strings.HasPrefix(s, "file:")
	},
	"place":  func(s string) bool { return strings.Contains(s, ":") && !windowsRoot.MatchString(s) },
	"page":   func(s string) bool { return !local.MatchString(s) },
	"scheme": func(s string) bool { return scheme.MatchString(s) || strings.Contains(s, computed) },
	"mount":  mounts,
	"copied": func(s string) bool {
		return strings.HasPrefix(s, "of=") && writesTo(s[3:]).Class == Critical || strings.HasPrefix(s, "if=") && outside(s[3:])
	},
	"everyone": func(s string) bool { return s == "-1" || s == "1" || s == "0" || strings.Contains(s, computed) },
	"method":   func(s string) bool { return !slices.Contains([]string{"", "GET", "HEAD"}, strings.ToUpper(s)) },
	"script":   func(s string) bool { return outside(s) || temporary.MatchString(s) || strings.Contains(s, computed) },
	"archive":  func(s string) bool { return outside(s) && !temporary.MatchString(s) },
	"loads": func(s string) bool {
		return outside(s) || temporary.MatchString(s) || strings.Contains(s, ":") && !strings.HasPrefix(s, "node:")
	},
	"remote": func(s string) bool { return remoteModule.MatchString(s) },
	"toolflags": func(s string) bool {
		return strings.Contains(s, "-toolexec") || strings.Contains(s, "-extld") || strings.Contains(s, "-exec")
	},
	"wrapper":    func(s string) bool { return cargoRuns.MatchString(s) },
	"npmconf":    npmConfig.MatchString,
	"elsewhere":  func(s string) bool { return outside(s) && s != ".." },
	"absolute":   func(s string) bool { return outside(s) && !strings.HasPrefix(s, ".") && !strings.Contains(s, "://") },
	"devnull":    func(s string) bool { return s == "/dev/null" },
	"host":       func(s string) bool { return s == "host" },
	"removal":    func(s string) bool { return s == "rm" || s == "remove" || s == "remove_directory" },
	"env":        func(s string) bool { return s == "env" },
	"assignment": func(s string) bool { return strings.Contains(s, "=") },
	"dangling": func(s string) bool {
		return s == "-" || strings.HasPrefix(s, "/dev/") || strings.HasPrefix(s, computed)
	},
}

// personal reports whether a path is the machine's or the user's own as a whole.
func personal(p string) bool {
	return p == "/" || p == "~" || p == "/var" || slices.ContainsFunc([]string{"/etc", "/home", "/root", "~/."}, func(begin string) bool { return strings.HasPrefix(p, begin) })
}

// mounts reports whether a container is given something of the machine.
func mounts(s string) bool {
	if strings.Contains(s, "source=/") || strings.Contains(s, "src=/") || strings.Contains(s, "src=~") || strings.Contains(s, "source=~") {
		return true
	}
	host, _, _ := strings.Cut(s, ":")
	return !strings.HasPrefix(host, computed) && strings.ContainsAny(host, "/~.") && outside(host)
}

var (
	gitConfig = lazyregexp.New(`(?i)^(alias\.|core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy|askpass|worktree|attributesfile)|diff\..*|filter\.|credential|protocol\.|gpg\.|merge\..*driver|pager\.|sequence\.editor|` +
		`uploadpack|receive|remote\..*(url|vcs|uploadpack|receivepack)|url\.|http\.(proxy|sslverify)|include|init\.templatedir|user\.signingkey|interactive\.|browser\.|web\.|man\.|difftool\.|mergetool\.|trailer\.|submodule\.)`)
	wideMode    = lazyregexp.New(`(^[0-7]?(777|666|000)$|^[2-7][0-7]{3}$|[ug]?\+s|^(a|o|ugo|\+).*w|s$)`)
	destructive = lazyregexp.New(`(?i)(\b(drop\s+(table|database|schema|user|role|index|view|keyspace|owned)|truncate\b|delete\s+from|alter\s+(user|role|system)|grant\s+|revoke\s+|flushall|flushdb|dropdatabase|shutdown|config\s+set|` +
		`slaveof|replicaof|copy\s+.*(program|to\s+'/)|into\s+(out|dump)file|load_file|load_extension|xp_cmdshell|pg_read_file|update\s+\w+\s+set|attach\s+database|debug\s+sleep|eval\b|system\()|\.drop\(|deletemany|remove\(\{|\\!|\.shell|\.system|\.(import|output|once)\s*\|)`)
	local        = lazyregexp.New(`^(https?://)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(:\d+)?(/\S*)?$`)
	scheme       = lazyregexp.New(`(?i)^(file|gopher|dict|ldap|smb|scp|sftp|ftp|data)://`)
	remoteModule = lazyregexp.New(`^[\w.-]+\.[a-z]+/.*@|^https?://`)
	cargoRuns    = lazyregexp.New(`(?i)(rustc|rustdoc|wrapper|runner|linker|credential|registr|source|alias)`)
	npmConfig    = lazyregexp.New(`(?i)(registry|proxy|strict-ssl|script-shell|_auth|index-url|sources\.|repositories\.|ignore-scripts=false|cafile)`)
)
