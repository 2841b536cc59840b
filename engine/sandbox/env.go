package sandbox

import (
	"runtime"
	"slices"
	"strings"
)

// allowed are the variables that reach a process: where programs and caches are, and how to speak to a
// user. Everything else (keys, tokens, agents' sockets, GIT_*, LD_*) stays here. A list of what is
// forbidden would be a bet on knowing every secret's name.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
	"XDG_CACHE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR",
	// Go: without its caches every build would start from nothing.
	"GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT", "GOFLAGS", "GOENV", "GOTOOLCHAIN", "GOWORK", "GO111MODULE",
	"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOOS", "GOARCH",
	"GOEXPERIMENT", "GOAMD64", "GOARM64", "CGO_ENABLED", "CC", "CXX",
	// Rust and Python: where their tools and caches are, and which of several versions the user has chosen. What names a
	// registry or an index (CARGO_REGISTRIES_*, PIP_INDEX_URL, npm_config_*) may hold a token, and stays here.
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "VIRTUAL_ENV", "PYENV_ROOT", "PYENV_VERSION", "CONDA_PREFIX",
	// Windows: programs do not start without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "PROGRAMDATA",
}

// environment builds what a process sees: the allowed part of base, then extra, which wins. A name that
// comes twice keeps its last value.
func environment(base, extra []string) []string {
	values := map[string]string{}
	for _, entry := range base {
		if name, value, ok := strings.Cut(entry, "="); ok && isAllowed(name) {
			values[name] = value
		}
	}
	for _, entry := range extra {
		if name, value, ok := strings.Cut(entry, "="); ok && name != "" {
			values[name] = value
		}
	}
	env := make([]string, 0, len(values))
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func isAllowed(name string) bool {
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	return slices.Contains(allowed, name) || strings.HasPrefix(name, "LC_")
}

// lookup returns the value of a variable, the last one if it comes twice.
func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		n, value, _ := strings.Cut(entry, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}
