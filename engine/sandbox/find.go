package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// Surrounded is a Runner that returns the environment of its processes, as far as it is the same for all commands.
type Surrounded interface{ Environment() []string }

// Environment returns the environment of a process without additions.
func (r *runner) Environment() []string { return environment(r.environ, nil) }

// find returns the absolute path of the program. A bare name is only looked up in the absolute folders
// of path: an empty or relative entry would run a file in the working directory. A relative path is relative to dir.
func find(name, dir, path string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return executable(name, name)
	}
	for _, folder := range filepath.SplitList(path) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found, nil
		}
	}
	return "", &NotStartedError{
		Name:   name,
		Reason: "it is in no folder of PATH; install it, or add its folder to PATH",
		Err:    fs.ErrNotExist,
	}
}

func executable(name, path string) (string, error) {
	found, err := exec.LookPath(path)
	switch {
	case err == nil:
		return found, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", &NotStartedError{Name: name, Reason: "there is no such file; check the path", Err: err}
	default:
		return "", &NotStartedError{
			Name:   name,
			Reason: fmt.Sprintf("it cannot be executed (%v); check the file and its permissions", errors.Unwrap(err)),
			Err:    err,
		}
	}
}
