package config

import (
	"errors"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the name of Forge's keys in the operating system's keychain.
const service = "forge"

// keychainPatience is the time limit for a keychain's answer: a locked one may wait for the user forever.
const keychainPatience = 5 * time.Second

var errKeychainSilent = errors.New("the keychain does not answer")

// SystemKeychain returns the operating system's keychain, or nil if FORGE_KEYCHAIN turns it off.
func SystemKeychain(env Environ) Keychain {
	if value := strings.ToLower(env(EnvKeychain)); value == "off" || value == "0" {
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

// patiently gives up on a keychain that does not answer. The library cannot be interrupted: what does not answer goes on
// by itself until the process ends.
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
