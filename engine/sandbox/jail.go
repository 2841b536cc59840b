package sandbox

import (
	"cmp"
	"strings"
)

// Jail is what a command that executes code of others may reach. Everything that it does not name, and that is no part of the
// system, is hidden: the user's HOME, other folders and sockets. HOME and the folders for temporary files are private, and removed
// with the command, except ~/.cache, which is kept in Caches; the network is a private loopback.
type Jail struct {
	Read  []string // files and folders that the command may also read
	Write []string // those that it may change; missing ones are omitted
	// Lent are folders that the command may also read. What it writes there, it alone sees, and is gone with it; where the system has no overlays, it writes nothing there.
	Lent []string
	// Caches is a folder of Forge's own for what commands add to caches, by which only commands with the same folder are affected. The
	// build cache of Go begins with what is in the user's. Empty keeps nothing.
	Caches string
	// Place shows one of the folders of Write at another path. Paths in arguments, variables and output are adapted.
	Place   Place
	Network bool // the command has the user's network
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
