package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
	"go.yaml.in/yaml/v3"
)

// KeysFile is the file of keys on a system without a keychain, in Forge's own state.
const KeysFile = "keys.yaml"

// Keychain is the operating system's keychain.
type Keychain interface {
	// Read returns a secret; ok is false if no secret has the name. An error means that there is no keychain.
	Read(name string) (secret string, ok bool, err error)
	// Write stores a secret, and replaces one of the same name.
	Write(name, secret string) error
}

// Vault stores keys: in the operating system's keychain, or without one, encrypted in a file that only the user can read.
type Vault struct {
	Dir      string   // Forge's own state
	Keychain Keychain // nil means none
}

var _ Keys = Vault{}

// Key returns the key of a provider, and its place for users. A file that others can read is refused: its keys may
// not be secret any more.
func (v Vault) Key(provider string) (Key, string, error) {
	if v.Keychain != nil {
		if secret, ok, err := v.Keychain.Read(provider); err == nil && ok {
			return Key(secret), "the keychain", nil
		}
	}
	kept, err := v.readFile()
	if err != nil || kept[provider] == "" {
		return "", "", err
	}
	key, err := v.open(provider, kept[provider])
	if err != nil {
		return "", "", fmt.Errorf("the key of %s in %s cannot be used: %w; save it again with forge setup %[1]s", provider, v.path(), err)
	}
	return Key(key), v.path(), nil
}

// InFile returns the keys in the file, by provider, as far as they can be read.
func (v Vault) InFile() map[string]Key {
	kept, _ := v.readFile() // a file that cannot be read has no keys that are used
	keys := map[string]Key{}
	for provider, text := range kept {
		if key, err := v.open(provider, text); err == nil {
			keys[provider] = Key(key)
		}
	}
	return keys
}

// Save stores a key, and returns where.
func (v Vault) Save(provider string, key Key) (where string, err error) {
	if v.Keychain != nil && v.Keychain.Write(provider, string(key)) == nil {
		return "the keychain", nil
	}
	kept, err := v.readFile()
	if err != nil {
		return "", err
	}
	if kept == nil {
		kept = map[string]string{}
	}
	for name, text := range kept {
		if strings.HasPrefix(text, sealed) {
			continue
		}
		if kept[name], err = v.seal(name, text); err != nil {
			return "", fmt.Errorf("encrypt the saved keys: %w", err)
		}
	}
	if kept[provider], err = v.seal(provider, string(key)); err != nil {
		return "", fmt.Errorf("encrypt the key: %w", err)
	}
	data, err := yaml.Marshal(kept)
	if err != nil {
		return "", fmt.Errorf("write the keys: %w", err)
	}
	if err := replaceFile(v.path(), data); err != nil {
		return "", fmt.Errorf("store the key in %s: %w", v.path(), err)
	}
	return v.path(), nil
}

func (v Vault) path() string { return filepath.Join(v.Dir, KeysFile) }

func (v Vault) readFile() (map[string]string, error) {
	file, err := os.Open(v.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the saved keys: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the saved keys: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the keys in %s are not used, because others can read that file: chmod 600 %[1]s, and create new keys", v.path())
	}
	var kept map[string]string
	if err := yaml.NewDecoder(file).Decode(&kept); err != nil { // its text may contain a part of a key
		return nil, fmt.Errorf("the saved keys in %s cannot be read: save them again with forge setup, after removing that file", v.path())
	}
	return kept, nil
}

// replaceFile writes a file that only its owner can read, completely or not at all.
func replaceFile(path string, data []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".forge-*") // 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	_, err = temporary.Write(data)
	if err := errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}

// service is the name of Forge's keys in the operating system's keychain.
const service = "forge"

// keychainPatience is the time limit for a keychain's answer: a locked one may wait for the user forever.
const keychainPatience = 5 * time.Second

var errKeychainSilent = errors.New("the keychain does not answer")

// SystemKeychain returns the operating system's keychain, or nil if FORGE_KEYCHAIN turns it off.
func SystemKeychain(env Environ) Keychain {
	if saysNo(env(EnvKeychain)) {
		return nil
	}
	return systemKeychain{}
}

type systemKeychain struct{}

// Read implements Keychain.
func (systemKeychain) Read(name string) (string, bool, error) {
	secret, err := patiently(func() (string, error) { return keyring.Get(service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, nil
	}
	return secret, err == nil, err
}

// Write implements Keychain.
func (systemKeychain) Write(name, secret string) error {
	_, err := patiently(func() (string, error) { return "", keyring.Set(service, name, secret) })
	return err
}

// patiently gives up on a keychain that does not answer. The library cannot be interrupted: its call continues until the process ends.
func patiently(call func() (string, error)) (string, error) {
	type answer struct {
		secret string
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		secret, err := call()
		done <- answer{secret, err}
	}()
	timer := time.NewTimer(keychainPatience)
	defer timer.Stop()
	select {
	case a := <-done:
		return a.secret, a.err
	case <-timer.C:
		return "", errKeychainSilent
	}
}
