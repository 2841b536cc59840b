package permission

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgv_OfLinesThatNeedNoShell(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		`go test ./...`:                       {"go", "test", "./..."},
		`go test -run 'Test A|B' "./a b/..."`: {"go", "test", "-run", "Test A|B", "./a b/..."},
		`python3 -m pytest -k "not slow"`:     {"python3", "-m", "pytest", "-k", "not slow"},
	} {
		argv, err := Argv(line)
		require.NoError(t, err, line)
		require.Equal(t, want, argv)
	}
	for line, fault := range map[string]string{
		``:                         "not one command",
		`go vet; go test`:          "not one command",
		`go vet && go test`:        "needs a shell",
		`! go vet`:                 "needs a shell",
		`go vet &`:                 "needs a shell",
		`go test | tail`:           "needs a shell",
		`go test >out.txt`:         "redirects",
		`CGO_ENABLED=0 go test`:    "sets a variable",
		`cat *.go`:                 "a shell would compute",
		`cat $HOME/x`:              "a shell would compute",
		`cat ~/x`:                  "a shell would compute",
		`"" x`:                     "a shell would compute",
		`cat "$(ls)"`:              "a shell would compute",
		`go test "`:                "cannot be parsed",
		"the sums add up (they do": "cannot be parsed",
	} {
		_, err := Argv(line)
		require.ErrorContains(t, err, fault, line)
	}
}
