package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// Jail is what a command that executes code of others may reach. Everything that it does not name, and that is no part of the
// system, is hidden: the user's HOME, other folders and sockets. HOME and the folders for temporary files are private, and removed
// with the command, except ~/.cache, which is kept in Caches; the network is a private loopback.
type Jail struct {
	Read  []string // files and folders that the command may also read
	Write []string // those that it may change; missing ones are omitted
	// Installed are folders of installed packages that the command may also read. What it writes there, it alone sees, and is gone with it; where the system has no overlays, it writes nothing there.
	Installed []string
	// Caches is a folder of Forge's own for what commands add to caches, by which only commands with the same folder are affected. The
	// build cache of Go begins with what is in the user's. Empty keeps nothing.
	Caches string
	// Place shows one of the folders of Write at another path. Paths in arguments, variables and output are adapted.
	Place Place
	// Rewritten are texts that the command reads in files of the folders in Read, by their real paths. Where nothing can be mounted, it reads what is there.
	Rewritten map[string]string
	Network   bool // the command has the user's network
	// Fetch lets the command download packages: it has the network, and the stores of downloads of Go and cargo can be written.
	Fetch bool
}

// Layers are the protections of a jail that a system has, and why others are missing.
type Layers struct {
	Active  []string
	Missing []string // "name (reason)"
}

// NoSockets is the layer of a command without namespaces: it has no network, and no sockets on 127.0.0.1 either.
const NoSockets = "no network, not even 127.0.0.1"

// String lists the active layers, then the missing ones.
func (l Layers) String() string {
	text := cmp.Or(strings.Join(l.Active, ", "), "none")
	if len(l.Missing) > 0 {
		text += "; missing: " + strings.Join(l.Missing, ", ")
	}
	return text
}

// realPaths resolves links, and omits what is missing. A relative path, such as one made of an unset variable, and the root must show nothing.
func realPaths(paths []string) (real []string) {
	for _, path := range paths {
		if at, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(at) && at != "/" {
			real = append(real, at)
		}
	}
	return real
}

// stores returns the folders that Go and cargo download packages into: of a GOPATH with several folders, in the first one.
func stores(base []string, home string) (modules, cargo string) {
	if folders := filepath.SplitList(lookup(base, "GOPATH")); len(folders) > 0 {
		modules = filepath.Join(folders[0], "pkg", "mod")
	}
	if home != "" {
		modules, cargo = cmp.Or(modules, filepath.Join(home, "go/pkg/mod")), filepath.Join(home, ".cargo")
	}
	return cmp.Or(lookup(base, "GOMODCACHE"), modules), cmp.Or(lookup(base, "CARGO_HOME"), cargo)
}

// makeStores creates the stores of downloads, as go and cargo do, and returns them.
func makeStores(base []string, home string) (made []string) {
	modules, cargo := stores(base, home)
	for _, path := range []string{modules, filepath.Join(cargo, "registry"), filepath.Join(cargo, "git")} {
		if filepath.IsAbs(path) {
			_ = os.MkdirAll(path, 0o755) //nolint:gosec // as go and cargo create them; on failure, they report it
			made = append(made, path)
		}
	}
	return made
}
