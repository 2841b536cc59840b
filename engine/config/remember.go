package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ByHandError means that a program must not change the file, and contains what the user can add to it.
type ByHandError struct {
	File string
	Add  string // YAML
}

// Error returns the message with the text to add.
func (e *ByHandError) Error() string {
	return fmt.Sprintf("%s cannot be changed automatically; add this to it:\n%s", e.File, e.Add)
}

const header = "# What Forge runs with. All there is to set: docs/models.md\n"

// RememberSaved notes in the user's file that the key of a provider is saved. It changes nothing else in the file; if
// that is impossible, the error is a *ByHandError. It reports whether it changed the file.
func RememberSaved(file, provider string) (written bool, err error) {
	old, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(header), nil
	}
	if err != nil {
		return false, fmt.Errorf("read the settings: %w", err)
	}
	text, err := withSaved(string(old), provider)
	switch {
	case err != nil:
		return false, &ByHandError{file, fmt.Sprintf("providers:\n  - name: %s\n    key: %s\n", provider, saved)}
	case text == string(old):
		return false, nil
	}
	if err := rewrite(file, []byte(text)); err != nil {
		return false, fmt.Errorf("write the settings: %w", err)
	}
	return true, nil
}

// rewrite replaces a file, or the target of a link.
func rewrite(file string, data []byte) error {
	if real, err := os.Readlink(file); err == nil && real != "" {
		return os.WriteFile(file, data, 0o600) // through the link, which stays as the user set it
	}
	return replaceFile(file, data)
}

var errByHand = errors.New("by hand")

// withSaved returns the file's text with the provider's key as saved. It checks the result by parsing it: only the key may differ.
func withSaved(old, provider string) (string, error) {
	var document yaml.Node
	if yaml.Unmarshal([]byte(old), &document) != nil {
		return "", errByHand
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	if len(document.Content) > 0 {
		root = document.Content[0]
	}
	list := child(root, "providers")
	var text string
	switch entry := named(list, provider); {
	case entry != nil && child(entry, "key") != nil:
		if child(entry, "key").Value != saved {
			return "", errByHand
		}
		return old, nil
	case entry != nil:
		name := child(entry, "name")
		text = insert(old, name.Line, fmt.Sprintf("%skey: %s\n", margin(entry.Column), saved))
	case list != nil && len(list.Content) > 0:
		last := list.Content[len(list.Content)-1]
		text = insert(old, lastLine(last), fmt.Sprintf("%s- name: %s\n%skey: %s\n", margin(last.Column-2), provider, margin(last.Column), saved))
	default:
		text = insert(old, strings.Count(old, "\n")+1, fmt.Sprintf("providers:\n  - name: %s\n    key: %s\n", provider, saved))
	}
	return text, proved(old, text, provider)
}

func named(list *yaml.Node, provider string) *yaml.Node {
	for _, entry := range sequence(list) {
		if name := child(entry, "name"); name != nil && name.Value == provider {
			return entry
		}
	}
	return nil
}

func margin(column int) string { return strings.Repeat(" ", max(0, column-1)) }

// insert inserts lines after the given one, from 1, or at the end.
func insert(text string, line int, lines string) string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	} else {
		all[len(all)-1] += "\n"
	}
	return strings.Join(slices.Insert(all, min(line, len(all)), lines), "")
}

// proved checks that the new text has the settings of the old one, and the saved key.
func proved(old, text, provider string) error {
	var before, after map[string]any
	if yaml.Unmarshal([]byte(old), &before) != nil || yaml.Unmarshal([]byte(text), &after) != nil {
		return errByHand
	}
	entries, ok := after["providers"].([]any)
	if !ok {
		return errByHand
	}
	had, _ := before["providers"].([]any)
	var rest []any
	found := false
	for _, e := range entries {
		entry, _ := e.(map[string]any)
		if entry["name"] == provider && entry["key"] == saved {
			found = true
			if len(entries) > len(had) {
				continue // the new entry
			}
			delete(entry, "key")
		}
		rest = append(rest, e)
	}
	delete(before, "providers")
	delete(after, "providers")
	if !found || len(rest)+len(had) > 0 && !reflect.DeepEqual(rest, had) || len(before)+len(after) > 0 && !reflect.DeepEqual(before, after) {
		return errByHand
	}
	return nil
}
