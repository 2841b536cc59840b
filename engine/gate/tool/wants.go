package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// wants returns, for users, what a failed command needs that its sandbox denies, and which setting grants it; empty for other commands.
func wants(ctx context.Context, tree gate.Tree, report *gate.Report, result sandbox.Result) string {
	active := result.Layers.Active
	if result.ExitCode == 0 || reachOf(ctx).fetch {
		return ""
	}
	granted := fmt.Sprintf("sandbox: {network: [%s]} in your settings", report.Gate)
	switch offline := slices.ContainsFunc(active, withoutNetwork); {
	case slices.Contains(active, sandbox.NoSockets) && noSockets.MatchString(report.Output):
		return "it opens sockets, and this system gives it none, not even on 127.0.0.1: with namespaces it has a 127.0.0.1 of its own, " +
			"and " + granted + " gives it yours, with the whole network"
	case offline && noService.MatchString(report.Output):
		return "it needs a service of this machine: gates have their own 127.0.0.1, which only reaches what they start; start the service, and " +
			granted + " lets it be reached"
	case offline && noNetwork.MatchString(report.Output):
		return "it needs the network: " + granted + " grants it"
	}
	if file := outside(tree.Dir(), report.Output); file != "" && len(active) > 0 {
		return fmt.Sprintf("it needs %s: gates have an empty HOME of their own and see nothing else of yours outside of the folder; "+
			"if it exists outside of the sandbox, unguarded: [%s] in your settings runs it without protection", file, report.Gate)
	}
	return ""
}

// noNetwork matches what programs print without a network.
var noNetwork = lazyregexp.New(`(?i)network is unreachable|no such host|could not resolve host|temporary failure in name resolution|getaddrinfo|ENETUNREACH|EAI_AGAIN|dial (?:tcp|udp)`)

// noService matches what programs print if nothing listens at an address of this machine.
var noService = lazyregexp.New(`(?i)(?:127\.0\.0\.1|localhost|\[?::1\]?)\S*[^\n]{0,40}connection refused|ECONNREFUSED (?:127\.0\.0\.1|::1|localhost)|connection refused[^\n]{0,80}(?:127\.0\.0\.1|localhost|::1)|ConnectionRefusedError: \[Errno 111\]`)

// noSockets matches what programs of Go, Node.js and Python print if they get no socket.
var noSockets = lazyregexp.New(`socket: permission denied|(?:listen|connect|bind) EACCES|socket\.py", line \d+, in __init__`)

// noFile matches what programs of Go, Node.js and Python print about a file that they cannot open or write.
var noFile = lazyregexp.New(`(?:open|mkdir|write|rename|remove|unlink|stat|lstat|chdir) (/[^:\n]+): (?:no such file or directory|read-only file system|permission denied|operation not permitted)` +
	`|(?:ENOENT|EACCES|EROFS|EPERM)\b[^\n]*'(/[^'\n]+)'|\[Errno (?:1|2|13|30)\][^\n]*'(/[^'\n]+)'`)

// own are folders that a command has to itself: what is missing there, it did not make.
var own = []string{"/proc/", "/tmp/", "/dev/"}

// outside returns the first file outside of the tree that a command could not use; empty without one.
func outside(tree, output string) string {
	for _, m := range noFile.FindAllStringSubmatch(output, -1) {
		file := m[1] + m[2] + m[3]
		if file != tree && !strings.HasPrefix(file, tree+"/") && !slices.ContainsFunc(own, func(dir string) bool { return strings.HasPrefix(file, dir) }) {
			return file
		}
	}
	return ""
}

func withoutNetwork(layer string) bool { return strings.Contains(layer, "network") }
