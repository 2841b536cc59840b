package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

func TestRemember_SetupChangesNothingElseOfAFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ old, want string }{
		"no providers":          {"# mine\nmodels:\n  cache: false # why not\n", "# mine\nmodels:\n  cache: false # why not\nproviders:\n  - name: openai\n    key: saved\n"},
		"no newline at the end": {"models: {cache: false}", "models: {cache: false}\nproviders:\n  - name: openai\n    key: saved\n"},
		"an empty file":         {"", "providers:\n  - name: openai\n    key: saved\n"},
		"another provider": {
			"providers:\n- name: work # ours\n  kind: openai-compatible\n  baseURL: http://w/v1\n\n# below\nbudget: {usd: 1}\n",
			"providers:\n- name: work # ours\n  kind: openai-compatible\n  baseURL: http://w/v1\n- name: openai\n  key: saved\n\n# below\nbudget: {usd: 1}\n",
		},
		"the provider, without a key": {
			"providers:\n    - name: openai\n      models: [gpt-5]\n    - name: ollama\n",
			"providers:\n    - name: openai\n      key: saved\n      models: [gpt-5]\n    - name: ollama\n",
		},
		"the key is saved already": {"providers:\n  - {name: openai, key: saved}\n", "providers:\n  - {name: openai, key: saved}\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(file, []byte(test.old), 0o600))
			written, err := config.RememberSaved(file, "openai")
			require.NoError(t, err)
			require.Equal(t, test.old != test.want, written)
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, test.want, string(got))
			written, err = config.RememberSaved(file, "openai")
			require.NoError(t, err)
			require.False(t, written, "once is enough")
			s := config.Load(config.Sources{UserFile: file, Keys: config.Vault{Keychain: chain{"openai": secret}}})
			require.Empty(t, said(s))
			p, _ := s.Provider("openai")
			require.Equal(t, secret, string(p.Key))
		})
	}
}

func TestRemember_AFileThatSetupLeavesAlone(t *testing.T) {
	t.Parallel()
	for name, old := range map[string]string{
		"no YAML":            "models: {",
		"a flow":             "providers: [{name: work, kind: ollama}]\n",
		"a flow of its own":  "providers:\n  - {name: openai}\n",
		"another key":        "providers:\n  - name: openai\n    key: ${MY_KEY}\n",
		"two documents":      "models: {}\n---\nmodels: {}\n",
		"a list for a file":  "- a\n",
		"text over lines":    "providers:\n  - name: work\n    baseURL: |\n      http://w/v1\n      \n",
		"settings in a flow": "{models: {cache: true}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "config.yaml")
			require.NoError(t, os.WriteFile(file, []byte(old), 0o600))
			_, err := config.RememberSaved(file, "openai")
			byHand := &config.ByHandError{}
			require.ErrorAs(t, err, &byHand)
			require.ErrorContains(t, err, "  - name: openai\n    key: saved\n")
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, old, string(got))
		})
	}
}

func TestRemember_SetupMakesAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "new", "config.yaml")
	written, err := config.RememberSaved(file, "anthropic")
	require.NoError(t, err)
	require.True(t, written)
	require.Empty(t, said(config.Load(config.Sources{UserFile: file})))

	target := filepath.Join(t.TempDir(), "dotfiles.yaml")
	require.NoError(t, os.WriteFile(target, []byte("models: {}\n"), 0o644))
	link := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.Symlink(target, link))
	_, err = config.RememberSaved(link, "anthropic")
	require.NoError(t, err)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "a link stays one")
}

func FuzzRemember_Settings(f *testing.F) {
	for _, seed := range []string{work, "models: {", "- a", "a: &x [*x]", "providers:\n  - name: openai\n", "\x00", "models: {offline: yess}", "? a\n: b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		file := filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before := config.Load(config.Sources{UserFile: file})
		if _, err := config.RememberSaved(file, "openai"); err != nil {
			return
		}
		after := config.Load(config.Sources{UserFile: file})
		if (before.Err == nil) != (after.Err == nil) || before.Default != after.Default || before.Offline != after.Offline {
			t.Errorf("what the file said is not what it says now: %q", text)
		}
	})
}
