package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeServer names the behaviour of this test binary when it is started as a language server.
const fakeServer = "BENCH_FAKE_SERVER"

func TestMain(m *testing.M) {
	switch behaviour := os.Getenv(fakeServer); behaviour {
	case "":
	case appliesPatches:
		os.Exit(fakeApply(os.Args))
	case ignoresPatches:
		os.Exit(0)
	default:
		os.Exit(serve(behaviour))
	}
	os.Exit(m.Run())
}

// serve answers on stdin and stdout until exit.
func serve(behaviour string) int {
	in := bufio.NewReader(os.Stdin)
	for {
		body, err := readFrame(in)
		if err != nil {
			return 1
		}
		var m received
		if json.Unmarshal(body, &m) != nil || m.Method == "exit" {
			return 0
		}
		if len(m.ID) > 0 {
			body, err := json.Marshal(fakeAnswer(behaviour, m))
			if err != nil || writeFrame(os.Stdout, body) != nil {
				return 1
			}
		}
	}
}

func fakeAnswer(behaviour string, m received) message {
	answer := message{Version: "2.0", ID: m.ID, Result: json.RawMessage(`null`)}
	switch m.Method {
	case "initialize":
		answer.Result = json.RawMessage(`{"capabilities":{}}`)
	case "textDocument/codeAction":
		if behaviour == "knows no code actions" {
			answer.Result, answer.Error = nil, &rpcError{methodNotFound, "unknown method"}
		} else {
			answer.Result = json.RawMessage(`[]`)
		}
	case "workspace/symbol":
		if behaviour == "finds everything" {
			answer.Result = foundSymbol(m.Params)
		}
	case "workspace/executeCommand":
		if behaviour == "finds everything" {
			answer.Result = json.RawMessage(`{"complete":true,"hits":[{"path":"` + treeFile + `"}]}`)
		} else {
			answer.Result = json.RawMessage(`{"complete":true,"hits":[]}`)
		}
	case "textDocument/documentSymbol":
		answer.Result = json.RawMessage(`[{"name":"` + behaviour + `"}]`)
	}
	return answer
}

// fake returns a bench whose servers are this test binary.
func fake(t *testing.T, forge, gopls string) *bench {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	w, err := newWorkspace(t.TempDir())
	require.NoError(t, err)
	as := func(name, behaviour string) program {
		// The race detector would keep every server for a second after its end.
		env := append(os.Environ(), fakeServer+"="+behaviour, "GORACE=atexit_sleep_ms=0")
		return program{name: name, argv: []string{self}, env: env}
	}
	return &bench{forge: as("forge", forge), gopls: as("gopls", gopls), workspace: w, starts: 3, edits: 3, runs: 3}
}

func TestServer_InitializeIsMeasured(t *testing.T) {
	t.Parallel()
	rows, err := measureInitialize(t.Context(), fake(t, "any", "any"))
	require.NoError(t, err)
	require.Len(t, rows, 2)
	for _, r := range rows {
		require.Empty(t, r.forge.none)
		require.Positive(t, r.forge.number)
		require.Positive(t, r.gopls.number)
	}
	require.LessOrEqual(t, rows[0].forge.number, rows[1].forge.number)
}

func TestServer_UnknownMethodIsNoNumber(t *testing.T) {
	t.Parallel()
	rows, err := measureCodeAction(t.Context(), fake(t, "knows no code actions", "knows no code actions"))
	require.NoError(t, err)
	require.Len(t, rows, 4)
	for _, r := range rows {
		require.Equal(t, missing, r.forge)
		require.Equal(t, missing, r.gopls)
	}
	require.Equal(t, "MISSED", rows[3].verdict())
}

func TestServer_NoActionIsNotQuick(t *testing.T) {
	t.Parallel()
	_, err := measureCodeAction(t.Context(), fake(t, "offers nothing", "any"))
	require.ErrorContains(t, err, "forge: the server offers no code action")
}

func TestServer_TypingIsVerified(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		shown string // the symbol the server shows after three edits
		err   string
	}{
		"all edits": {"Typedcba0", ""},
		"one lost":  {"Typedca0", "lost or swapped"},
		"the last":  {"Typedba0", "lost or swapped"},
		"two turns": {"Typedbca0", "lost or swapped"},
		"one twice": {"Typedccba0", "lost or swapped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fake(t, test.shown, test.shown)
			s, err := start(t.Context(), b.forge, b.workspace)
			require.NoError(t, err)
			require.NoError(t, s.open(t.Context(), b.workspace))
			_, err = s.timeTyping(t.Context(), b.workspace, b.edits)
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.err)
			}
			require.NoError(t, s.stop(t.Context()))
		})
	}
}

func TestServer_ThatDoesNotStart(t *testing.T) {
	t.Parallel()
	b := fake(t, "any", "any")
	b.forge.argv = []string{"no-such-server"}
	_, err := measureInitialize(t.Context(), b)
	require.ErrorContains(t, err, "start forge")
}

func TestServer_MachineIsDescribed(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	b := fake(t, "any", "any")
	b.gopls.argv = []string{"no-such-server"}
	printMachine(t.Context(), &out, b)
	require.Contains(t, out.String(), "CPUs, load average ")
	require.Contains(t, out.String(), "go1.")
	require.Contains(t, out.String(), "no-such-server of an unknown version")
}
