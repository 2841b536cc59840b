package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"forge/engine/config"
)

// chain is a keychain in memory.
type chain map[string]string

func (c chain) Read(name string) (string, bool, error) {
	secret, ok := c[name]
	return secret, ok, nil
}

func (c chain) Write(name, secret string) error {
	c[name] = secret
	return nil
}

// noChain is a machine without a keychain.
type noChain struct{}

var errNoChain = errors.New("no bus")

func (noChain) Read(string) (string, bool, error) { return "", false, errNoChain }
func (noChain) Write(string, string) error        { return errNoChain }

func TestKeys_AreInTheKeychain(t *testing.T) {
	t.Parallel()
	vault := config.Vault{Dir: t.TempDir(), Keychain: chain{}}
	where, err := vault.Save("openai", secret)
	require.NoError(t, err)
	require.Equal(t, "the keychain", where)
	require.NoFileExists(t, filepath.Join(vault.Dir, config.KeysFile))
	key, where, err := vault.Key("openai")
	require.NoError(t, err)
	require.Equal(t, secret, string(key))
	require.Equal(t, "the keychain", where)
}

func TestKeys_AreInAFileWithoutAKeychain(t *testing.T) {
	t.Parallel()
	for name, keychain := range map[string]config.Keychain{"none": nil, "one that fails": noChain{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vault := config.Vault{Dir: filepath.Join(t.TempDir(), "state"), Keychain: keychain}
			key, _, err := vault.Key("openai")
			require.NoError(t, err)
			require.Empty(t, string(key))
			path := filepath.Join(vault.Dir, config.KeysFile)
			for provider, value := range map[string]config.Key{"openai": secret, "anthropic": "sk-other: 'x'\n#"} {
				where, err := vault.Save(provider, value)
				require.NoError(t, err)
				require.Equal(t, path, where)
			}
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
			key, where, err := vault.Key("openai")
			require.NoError(t, err)
			require.Equal(t, secret, string(key))
			require.Equal(t, path, where)
			other, _, err := vault.Key("anthropic")
			require.NoError(t, err)
			require.Equal(t, "sk-other: 'x'\n#", string(other))
		})
	}
}

// Saved keys are no text of the file, and are those of a provider: exchanged or altered ones are refused. Keys that older versions
// saved as they are can be used, and are encrypted with the next one.
func TestKeys_AreEncryptedInTheFile(t *testing.T) {
	t.Parallel()
	vault := config.Vault{Dir: t.TempDir()}
	path := filepath.Join(vault.Dir, config.KeysFile)
	require.NoError(t, os.WriteFile(path, []byte("openai: "+secret+"\n"), 0o600))
	key, _, err := vault.Key("openai")
	require.NoError(t, err)
	require.Equal(t, secret, string(key))

	_, err = vault.Save("anthropic", "sk-other")
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), secret)
	require.NotContains(t, string(text), "sk-other")
	require.Equal(t, map[string]config.Key{"openai": secret, "anthropic": "sk-other"}, vault.InFile())

	exchanged := strings.NewReplacer("openai:", "anthropic:", "anthropic:", "openai:").Replace(string(text))
	altered := strings.Replace(string(text), "aes-256-gcm:", "aes-256-gcm:AAAA", 1)
	for name, text := range map[string]string{"exchanged": exchanged, "altered": altered, "cut": string(text[:len(text)/3])} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, _, err := vault.Key("anthropic")
		require.ErrorContains(t, err, "save it again with forge setup anthropic", name)
		require.NotContains(t, err.Error(), secret)
	}
}

func TestKeys_RefusesAFileReadableByOthers(t *testing.T) {
	t.Parallel()
	vault := config.Vault{Dir: t.TempDir()}
	_, err := vault.Save("openai", secret)
	require.NoError(t, err)
	path := filepath.Join(vault.Dir, config.KeysFile)
	require.NoError(t, os.Chmod(path, 0o640))
	for _, use := range []func() error{
		func() error { _, _, err := vault.Key("openai"); return err },
		func() error { _, err := vault.Save("anthropic", "sk-other"); return err },
	} {
		err := use()
		require.ErrorContains(t, err, "chmod 600 "+path)
		require.NotContains(t, err.Error(), secret)
	}
	s := harness{user: "providers: [{name: openai, key: saved}]", keys: vault}.load(t)
	p, _ := s.Provider("openai")
	require.Contains(t, p.Missing, "chmod 600")
	require.Empty(t, string(p.Key))

	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, []byte(secret+": ["), 0o600))
	_, _, err = vault.Key("openai")
	require.ErrorContains(t, err, "cannot be read")
	require.NotContains(t, err.Error(), secret)
}

func TestKeys_UsesASavedKeyOnRequest(t *testing.T) {
	t.Parallel()
	keys := config.Vault{Keychain: chain{"openai": secret, "work": "sk-work"}, Dir: t.TempDir()}
	s := harness{keys: keys, user: "providers: [{name: openai, key: saved}, {name: work, kind: openai-compatible, baseURL: 'http://w/v1'}]"}.load(t)
	openai, _ := s.Provider("openai")
	require.Equal(t, secret, string(openai.Key))
	require.Equal(t, "the keychain", openai.KeySource)
	work, _ := s.Provider("work")
	require.Empty(t, string(work.Key), "no setting names one")

	env := harness{keys: keys, user: "providers: [{name: openai, key: saved}]", env: map[string]string{"OPENAI_API_KEY": "sk-env"}}.load(t)
	openai, _ = env.Provider("openai")
	require.Equal(t, "sk-env", string(openai.Key), "the environment comes first")

	none := harness{user: "providers: [{name: openai, key: saved}]"}.load(t)
	openai, _ = none.Provider("openai")
	require.Contains(t, openai.Missing, "forge setup openai, or set OPENAI_API_KEY")
}

// The keychain of the operating system, as its library plays it in memory.
func TestKeys_SystemKeychain(t *testing.T) { // not parallel: the library has one for the whole process
	keyring.MockInit()
	system := config.SystemKeychain(func(string) string { return "" })
	_, ok, err := system.Read("openai")
	require.NoError(t, err)
	require.False(t, ok)
	require.NoError(t, system.Write("openai", secret))
	got, ok, err := system.Read("openai")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, secret, got)

	keyring.MockInitWithError(errNoChain)
	_, _, err = system.Read("openai")
	require.ErrorIs(t, err, errNoChain)
	for _, off := range []string{"off", "0", "no", "False"} {
		require.Nil(t, config.SystemKeychain(func(string) string { return off }))
	}
}
