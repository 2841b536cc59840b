package tool

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// placed is a tree at a path.
type placed struct {
	gate.Tree
	path string
}

func (p placed) Dir() string { return p.path }

// What a failed command wanted of its sandbox is recognized in the words of Go, Node.js and Python, with the setting that gives it.
func TestWants_SaysWhatGivesIt(t *testing.T) {
	t.Parallel()
	const network, service, file = "needs the network: sandbox: {network: [g]}", "needs a service of this machine", "unguarded: [g] in your settings"
	for output, want := range map[string]string{
		"dial tcp: lookup example.com: connect: network is unreachable":                         network,
		"Error: getaddrinfo EAI_AGAIN example.com":                                              network,
		"dial tcp 127.0.0.1:5432: connect: connection refused":                                  service,
		"dial tcp [::1]:5432: connect: connection refused":                                      service,
		"Error: connect ECONNREFUSED 127.0.0.1:6379":                                            service,
		"ConnectionRefusedError: [Errno 111] Connection refused":                                service,
		`connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused`: service,
		"open /elsewhere/u/.config/x: no such file or directory":                                "it needs /elsewhere/u/.config/x",
		"Error: ENOENT: no such file or directory, open '/elsewhere/u/x'":                       file,
		"FileNotFoundError: [Errno 2] No such file or directory: '/elsewhere/u/x'":              file,
		"open /tmp/TestX/001/a: no such file or directory":                                      "",
		"open /scratch/t/testdata/x: no such file or directory":                                 "",
		"--- FAIL: TestX": "",
	} {
		result := sandbox.Result{ExitCode: 1, Layers: sandbox.Layers{Active: []string{"files", "no network but its own 127.0.0.1"}}}
		got := wants(t.Context(), placed{path: "/scratch/t"}, &gate.Report{Gate: "g", Output: output}, result)
		if want == "" {
			require.Empty(t, got, output)
		}
		require.Contains(t, got, want, output)
		result.ExitCode = 0
		require.Empty(t, wants(t.Context(), placed{path: "/scratch/t"}, &gate.Report{Gate: "g", Output: output}, result))
	}
}
