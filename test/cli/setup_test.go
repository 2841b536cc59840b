package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetup_StoresAKey(t *testing.T) {
	t.Parallel()
	hosted := serve(t, false, listing(canary))
	for name, give := range map[string]func(w *world) (args []string, stdin string){
		"from a variable": func(w *world) ([]string, string) {
			w.environ = append(w.environ, "MY_KEY="+canary)
			return []string{"--from-env", "MY_KEY"}, ""
		},
		"from stdin": func(*world) ([]string, string) { return []string{"--stdin"}, canary + "\n" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := modelsWorld(t, "OPENAI_BASE_URL="+hosted.URL+"/v1")
			args, stdin := give(w)
			c := w.command(t.Context(), append([]string{"setup", "openai"}, args...)...)
			c.Stdin = strings.NewReader(stdin)
			code, stdout, stderr := execute(t, c)
			require.Equal(t, 0, code, stdout+stderr)
			require.Contains(t, stderr, "OpenAI accepts the key: 2 models")
			readsWell(t, stdout+stderr)
			keys := filepath.Join(w.home, "keys.yaml")
			require.Contains(t, stderr, keys)
			info, err := os.Stat(keys)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

			code, stdout, stderr = w.run("models")
			require.Equal(t, 0, code, stderr)
			require.Regexp(t, `openai\s+answers\s+\S+\s+\S+keys\.yaml`, stdout)
			require.Contains(t, stdout, "openai/gpt-4o-mini")
			readsWell(t, stdout+stderr)

			require.NoError(t, os.Chmod(keys, 0o644))
			code, stdout, stderr = w.run("models")
			require.Equal(t, 3, code, stdout+stderr)
			require.Contains(t, stderr, "others can read that file: chmod 600 "+keys)
			readsWell(t, stdout+stderr)
		})
	}
}

func TestSetup_RejectsInvalidInput(t *testing.T) {
	t.Parallel()
	hosted := serve(t, false, listing(canary))
	tests := map[string]struct {
		args  []string
		env   []string
		stdin string
		code  int
		says  string
	}{
		"a key as an argument":   {[]string{"openai", canary}, nil, "", 2, "want one provider"},
		"a wrong key":            {[]string{"openai", "--stdin"}, nil, canary + "x", 1, "does not accept the key"},
		"an empty key":           {[]string{"openai", "--stdin"}, nil, "\n", 2, "stdin is empty"},
		"a variable that is not": {[]string{"openai", "--from-env", "NO_SUCH"}, nil, "", 2, "NO_SUCH is not set, or empty"},
		"something else":         {[]string{"openai", "--stdin"}, nil, "my key", 2, "this is not a key"},
		"no terminal":            {nil, nil, "", 2, "no terminal to enter a key"},
		"no provider":            {[]string{"--stdin"}, nil, canary, 2, "the provider is missing"},
		"an unknown provider":    {[]string{"nobody", "--stdin"}, nil, canary, 2, "the providers are openai, anthropic, minimax"},
		"two sources":            {[]string{"openai", "--stdin", "--from-env", "X"}, nil, canary, 2, "--from-env and --stdin exclude each other"},
		"offline":                {[]string{"openai", "--stdin"}, []string{"FORGE_OFFLINE=1", "OPENAI_BASE_URL=http://api.example/v1"}, canary, 3, "use --no-test"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := modelsWorld(t, append([]string{"OPENAI_BASE_URL=" + hosted.URL + "/v1"}, test.env...)...)
			c := w.command(t.Context(), append([]string{"setup"}, test.args...)...)
			c.Stdin = strings.NewReader(test.stdin)
			code, stdout, stderr := execute(t, c)
			require.Equal(t, test.code, code, stdout+stderr)
			require.Contains(t, stderr, test.says)
			readsWell(t, stdout+stderr)
			require.NoFileExists(t, filepath.Join(w.home, "keys.yaml"))
			require.NoFileExists(t, filepath.Join(w.home, "config.yaml"))
		})
	}
}

// Existing settings stay as they are, to the byte; lines that cannot be added are printed.
func TestSetup_PreservesExistingSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, want, says string }{
		"added":   {"# mine\nmodels: {cache: true} # why\n", "# mine\nmodels: {cache: true} # why\nproviders:\n  - name: openai\n    key: saved\n", "[forge] updated "},
		"by hand": {"providers: [{name: ollama}] # mine\n", "providers: [{name: ollama}] # mine\n", "add this to it:\nproviders:\n  - name: openai\n    key: saved\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := modelsWorld(t)
			file := filepath.Join(w.home, "config.yaml")
			require.NoError(t, os.WriteFile(file, []byte(c.old), 0o600))
			command := w.command(t.Context(), "setup", "openai", "--stdin", "--no-test")
			command.Stdin = strings.NewReader(canary)
			code, stdout, stderr := execute(t, command)
			require.Equal(t, 0, code, stdout+stderr)
			require.Contains(t, stderr, c.says)
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, c.want, string(got))
		})
	}
}
