package permission

import (
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

var (
	// secrets are files that hold keys, passwords, or what the user has typed.
	secrets = lazyregexp.New(`(?i)(\.ssh(/|$)|id_(rsa|dsa|ecdsa|ed25519)\b|authorized_keys|\.aws(/|$)|\.gnupg|\.kube/|\.netrc|\.pypirc|\.git-credentials|\.docker/config|` +
		`/etc/(shadow|gshadow|sudoers|passwd|krb5)|_history$|\.histfile|/proc/[^/]*/(environ|mem|maps|cmdline|fd|root|cwd)|docker\.sock|containerd\.sock|\.config/(gh|gcloud|op|rclone|google-chrome)|` +
		`login data|cookies\.sqlite|logins\.json|key4\.db|\.password-store|wallet\.dat|keychains?/|\.mozilla|application support/google|\.cargo/credentials|\.gem/credentials|` +
		`[~/]/?\.npmrc|\.vault-token|\.terraformrc|\.bitcoin|\.electrum|169\.254\.169\.254|metadata\.google|/dev/(mem|kmem|port)|\.azure/|\.config/forge|\.local/share/forge|id_rsa)`)
	// startup are the user's files that programs execute or obey by themselves.
	startup  = lazyregexp.New(`(?i)(^|[/~])\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|gitconfig|vimrc|inputrc|xinitrc|xprofile|tmux\.conf|pam_environment|config/(autostart|systemd|fish|git|nvim))`)
	inGit    = lazyregexp.New(`(?i)(^|/)\.git(/|$)`)
	harmless = lazyregexp.New(`^/dev/(null|stdout|stderr|stdin|tty|zero|random|urandom|fd/\d+)$`)
	// temporary are places that no user owns.
	temporary   = lazyregexp.New(`^/(tmp|var/tmp|private/tmp|dev/shm)/[^.]`)
	windowsRoot = lazyregexp.New(`(?i)^[a-z]:[\\/]?|^%[a-z]+%|^\$env:|^\\`)
	// homes are the beginnings of paths in a home, which are compared with those that begin with ~.
	homes = lazyregexp.New(`(?i)^(/root|/(home|users)/[^/]*)/`)
	// obscured are paths of the user or of the machine of which a part is computed or a pattern.
	obscured = lazyregexp.New("(?i)^(~[^/]*|/etc|/root|/home/[^/]*|/users/[^/]*|/proc|/e[^/]*|\x00)/\\S*$")
)

// kept are files with secrets, for patterns and computed names that could be theirs.
var kept = []string{
	"/etc/shadow", "/etc/passwd", "/etc/sudoers", "/etc/gshadow", "~/.ssh/id_rsa", "~/.ssh/id_ed25519", "~/.ssh/authorized_keys", "~/.aws/credentials", "~/.netrc", "~/.npmrc",
	"~/.git-credentials", "~/.bash_history", "~/.zsh_history", "~/.kube/config", "~/.docker/config.json", "~/.pypirc", "~/.vault-token", "/proc/self/environ", "/proc/1/environ",
}

// secretIn reports whether arguments name files with secrets, or may.
func secretIn(list []string) bool {
	return slices.ContainsFunc(list, func(a string) bool {
		return secrets.MatchString(a) || strings.ContainsAny(a, "*?["+computed) && obscured.MatchString(a) && mayBeKept(a)
	})
}

// mayBeKept reports whether a pattern matches a file with secrets; what is computed matches anything.
func mayBeKept(pattern string) bool {
	pattern = homes.ReplaceAllString(strings.ReplaceAll(pattern, computed, "*"), "~/")
	return slices.ContainsFunc(kept, func(file string) bool {
		same, _ := path.Match(pattern, file)
		return same
	})
}

// outside reports whether a path leaves the folder, or may: it is absolute, in the home of the user, climbs, or is computed.
func outside(p string) bool {
	switch {
	case harmless.MatchString(p) || temporary.MatchString(p) && !strings.Contains(p, ".."):
		return false
	case strings.HasPrefix(p, computed), strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"), strings.HasPrefix(p, "$"), windowsRoot.MatchString(p):
		return true
	}
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// whole reports whether a path means everything in the folder, or its history.
func whole(p string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/") {
	case "", ".", "*", "**", ".*", "*.*", "..", ".[!.]*", "{*,.*}", ".??*", "*/", "?*", "[!.]*", "**/*":
		return true
	}
	return inGit.MatchString(p)
}

// writesTo judges the path that something is written to.
func writesTo(p string) Danger {
	switch {
	case harmless.MatchString(p) || p == computed || p == "" || p == "-" || p == "&1" || p == "&2":
		return Danger{}
	case secrets.MatchString(p) || startup.MatchString(p):
		return critical("startup")
	case inGit.MatchString(p):
		return critical("git")
	case strings.HasPrefix(p, "/dev/tcp/"), strings.HasPrefix(p, "/dev/udp/"):
		return critical("remote")
	case outside(p):
		return critical("overwrite")
	}
	return Danger{}
}
