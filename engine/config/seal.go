package config

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sealed begins a key that is encrypted: AES-256-GCM with a key derived by HKDF-SHA256 from this machine, its user and a salt. It keeps
// keys out of backups and copied folders. Programs of the same user can derive the key too; a keychain is better.
const sealed = "aes-256-gcm:"

// The sizes of a sealed key, in bytes.
const (
	saltSize  = 16
	nonceSize = 12
	keySize   = 32
)

// errElsewhere means that a key was sealed on another machine or by another user, or was altered.
var errElsewhere = errors.New("it was saved on another machine or by another user")

// seal encrypts the key of a provider.
func (v Vault) seal(provider, key string) (string, error) {
	salt := make([]byte, saltSize+nonceSize)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	box, err := v.box(salt[:saltSize])
	if err != nil {
		return "", err
	}
	text := box.Seal(salt, salt[saltSize:], []byte(key), []byte(provider))
	return sealed + base64.StdEncoding.EncodeToString(text), nil
}

// open decrypts the key of a provider. A text without the mark is a key as older versions saved it.
func (v Vault) open(provider, text string) (string, error) {
	coded, is := strings.CutPrefix(text, sealed)
	if !is {
		return text, nil
	}
	data, err := base64.StdEncoding.DecodeString(coded)
	if err != nil || len(data) < saltSize+nonceSize {
		return "", errElsewhere
	}
	box, err := v.box(data[:saltSize])
	if err != nil {
		return "", err
	}
	key, err := box.Open(nil, data[saltSize:saltSize+nonceSize], data[saltSize+nonceSize:], []byte(provider))
	if err != nil {
		return "", errElsewhere
	}
	return string(key), nil
}

// box returns the cipher of a salt.
func (v Vault) box(salt []byte) (cipher.AEAD, error) {
	machine, err := v.machine()
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, []byte(machine+" "+strconv.Itoa(os.Getuid())), salt, "forge saved keys", keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// machineFiles identify a machine (machine-id(5)).
var machineFiles = []string{"/etc/machine-id", "/var/lib/dbus/machine-id"}

// machine returns what identifies this machine: its id, or a random one that is kept in the user's configuration, away from the keys.
func (v Vault) machine() (string, error) {
	for _, name := range machineFiles {
		if id, err := os.ReadFile(name); err == nil && len(strings.TrimSpace(string(id))) >= saltSize { //nolint:gosec // a fixed file
			return strings.TrimSpace(string(id)), nil
		}
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		dir = v.Dir
	}
	path := filepath.Join(dir, "forge-machine-id")
	id, err := os.ReadFile(path) //nolint:gosec // of our own
	if err == nil && len(id) >= keySize {
		return string(id), nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	id = []byte(rand.Text() + rand.Text())
	return string(id), replaceFile(path, id)
}
