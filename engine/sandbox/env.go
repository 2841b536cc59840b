package sandbox

import (
	"runtime"
	"slices"
	"strings"
)

// allowed are the variables that reach a process: the places of programs and caches, and the user's
// language. Everything else (keys, tokens, agents' sockets, GIT_*, LD_*) is removed. A list of
// forbidden variables would have to know every secret's name.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TMP", "TEMP",
	"XDG_CACHE_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	// Go: without its caches every build would start from scratch.
	"GOCACHE", "GOMODCACHE", "GOPATH", "GOROOT", "GOFLAGS", "GOENV", "GOTOOLCHAIN", "GOWORK", "GO111MODULE",
	"GOPROXY", "GONOPROXY", "GOPRIVATE", "GOSUMDB", "GONOSUMDB", "GOINSECURE", "GOOS", "GOARCH",
	"GOEXPERIMENT", "GOAMD64", "GOARM64", "CGO_ENABLED", "CC", "CXX",
	"GOGC", "GOMEMLIMIT", "GOMAXPROCS", // what the user lets compilers and tests take
	// Rust and Python: the places of their tools and caches, and the version that the user has chosen. Variables for
	// registries or indexes (CARGO_REGISTRIES_*, PIP_INDEX_URL, npm_config_*) may contain a token, and are removed.
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS", "VIRTUAL_ENV", "PYENV_ROOT", "PYENV_VERSION", "CONDA_PREFIX",
	// Windows: programs do not start without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "PROGRAMDATA",
}

// environment builds the environment of a process: the allowed part of base, then extra, which takes precedence. The last duplicate counts.
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

// lookup returns the value of a variable, the last one of duplicates.
func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		n, value, _ := strings.Cut(entry, "=")
		if n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}
