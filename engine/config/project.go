package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ProjectFile is the path of a folder's own settings, in the folder.
const ProjectFile = ".forge/config.yaml"

// maxFile limits the size of a settings file, in bytes.
const maxFile = 1 << 20

// projectMay lists what a project may set: models of the user for kinds of work, lower budgets, and lower bounds of runs.
func projectMay() []string {
	return []string{"models", "budget", "graph", "concurrency", "attempts", "explore"}
}

// readProject reads the file of a folder, without following links out of it. Nil means no file.
func readProject(folder string) ([]byte, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
	info, err := root.Stat(ProjectFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, errors.New("it is not a file of settings")
	}
	file, err := root.Open(ProjectFile)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, maxFile))
}

// refusing removes harmful settings while a project's file is read.
func refusing(name, userFile string) editing {
	return func(root *yaml.Node, notices []Notice) []Notice { return refuse(name, root, userFile, notices) }
}

// refuse removes the settings that a project's file may not contain, and reports them instead of errors inside them.
func refuse(name string, root *yaml.Node, userFile string, notices []Notice) []Notice {
	if root.Kind != yaml.MappingNode {
		return notices
	}
	var kept []*yaml.Node
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if slices.Contains(projectMay(), key.Value) {
			kept = append(kept, key, value)
			continue
		}
		last := lastLine(value)
		notices = slices.DeleteFunc(notices, func(n Notice) bool { return n.Line >= key.Line && n.Line <= last })
		notices = append(notices, Notice{name, key.Line, fmt.Sprintf(
			"%q is refused: a folder cannot set %s. Put it into %s if you want it", key.Value, beyond(key.Value), userFile)})
	}
	root.Content = kept
	return notices
}

// beyond describes what a setting decides that no folder may decide.
func beyond(key string) string {
	switch key {
	case "gates", "waive", "required", "advisory", "timeouts", "unguarded", "sandbox", "folders":
		return "how changes are checked"
	case "permissions":
		return "which calls of tools need your consent"
	case "tools", "web":
		return "which commands models may start, and what they may read from the web"
	}
	return "where prompts and keys go, or how"
}

func lastLine(node *yaml.Node) int {
	last := node.Line
	for _, below := range node.Content {
		last = max(last, lastLine(below))
	}
	return last
}
