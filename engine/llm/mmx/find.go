package mmx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The places of mmx's configuration, below the user's home.
const (
	configDir  = ".mmx"
	configFile = "config.json"
)

// MissingError means that there is no mmx to run. It matches fs.ErrNotExist, and its text is advice.
type MissingError struct {
	Inside string // the mmx in an open folder, which is therefore not run; empty is none
}

// Error returns the message for users.
func (e *MissingError) Error() string {
	if e.Inside != "" {
		return fmt.Sprintf("the mmx on PATH (%s) lies in a folder that is open, and is not run: %s", e.Inside, install)
	}
	return "MiniMax's command line mmx is in no folder of PATH: " + install
}

// Is makes it match fs.ErrNotExist.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

// Find returns the absolute path of mmx on the PATH of an environment ("NAME=value"). It only searches absolute
// folders, and skips programs in open folders, or with targets in them: a workspace cannot bring its own. The error
// is *MissingError.
func Find(environ []string, open ...string) (string, error) {
	missing := &MissingError{}
	for _, folder := range filepath.SplitList(value(environ, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		path := filepath.Join(folder, "mmx")
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
			continue
		}
		if isInside(path, open) {
			missing.Inside = path
			continue
		}
		return path, nil
	}
	return "", missing
}

// isInside reports whether a path, or its target, is in one of the folders.
func isInside(path string, folders []string) bool {
	led, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true // it is being changed
	}
	for _, folder := range folders {
		for _, at := range []string{path, led} {
			if below(at, folder) {
				return true
			}
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil && below(led, real) {
			return true
		}
	}
	return false
}

func below(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// Key returns the key in mmx's configuration for the user of an environment: HOME/.mmx/config.json, or in
// MMX_CONFIG_DIR. Empty is none: mmx may still be logged in without a key. It shows whether mmx is set up, and
// allows redacting the key.
func Key(environ []string) (string, error) {
	path := configPath(environ)
	if path == "" {
		return "", nil
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the key of mmx: %w", err)
	}
	var config struct {
		Key string `json:"api_key"`
	}
	if err := json.Unmarshal(raw, &config); err != nil {
		return "", fmt.Errorf("read the key of mmx: %s is not what mmx writes; `mmx auth login` rewrites it", path)
	}
	return strings.TrimSpace(config.Key), nil
}

func configPath(environ []string) string {
	if dir := value(environ, "MMX_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, configFile)
	}
	if home := value(environ, "HOME"); home != "" {
		return filepath.Join(home, configDir, configFile)
	}
	return ""
}

// ownKey returns mmx's own key if it is in use.
func (c *Client) ownKey() string {
	if c.o.Key != "" {
		return ""
	}
	key, _ := Key(c.o.Environ) // without a key there is nothing to redact
	return key
}

// value returns a variable, the last one of duplicates.
func value(environ []string, name string) string {
	found := ""
	for _, entry := range environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			found = v
		}
	}
	return found
}
