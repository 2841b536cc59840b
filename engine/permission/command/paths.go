package command

import (
	"path"
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
	// temporary are places that belong to no one.
	temporary   = lazyregexp.New(`^/(tmp|var/tmp|private/tmp)/[^.]`)
	windowsRoot = lazyregexp.New(`(?i)^[a-z]:[\\/]?|^%[a-z]+%|^\$env:|^\\\\`)
)

// secretIn returns why arguments may not be given to any program: they name files with secrets.
func secretIn(list []string) string {
	for _, a := range list {
		if secrets.MatchString(a) {
			return "reaches for secrets or for what the user has typed"
		}
	}
	return ""
}

// outside reports whether a path leaves the folder, or may: it is absolute, in the home of the user, climbs, or is unknown.
func outside(p string) bool {
	switch {
	case harmless.MatchString(p) || temporary.MatchString(p):
		return false
	case strings.HasPrefix(p, unknown), strings.HasPrefix(p, "/"), strings.HasPrefix(p, "~"), strings.HasPrefix(p, "$"), windowsRoot.MatchString(p):
		return true
	}
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// whole reports whether a path stands for everything in the folder, or for its history.
func whole(p string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(p, "./"), "/") {
	case "", ".", "*", "**", ".*", "*.*", "..", ".[!.]*", "{*,.*}", ".??*", "*/", "?*", "[!.]*", "**/*":
		return true
	}
	return inGit.MatchString(p)
}

// writesTo returns why nothing may be written to a path.
func writesTo(p string) string {
	switch {
	case harmless.MatchString(p) || p == unknown:
		return ""
	case secrets.MatchString(p) || startup.MatchString(p):
		return "changes a file of the user that programs act on by themselves"
	case inGit.MatchString(p):
		return "writes into the git directory"
	case strings.HasPrefix(p, "/dev/tcp/"), strings.HasPrefix(p, "/dev/udp/"):
		return "opens a connection"
	case outside(p):
		return "writes outside of the folder"
	}
	return ""
}
