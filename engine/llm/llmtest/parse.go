package llmtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"forge/engine/llm/llmtest/script"

	"go.yaml.in/yaml/v3"
)

// Parse reads a script. name is what errors call it, usually the path. A field that is not known, a second
// document and an entry that makes no sense are errors with a line.
func Parse(name string, data []byte) (*Script, error) {
	var file struct {
		Model   string       `yaml:"model"`
		Models  []string     `yaml:"models"`
		Window  int          `yaml:"window"`
		Batch   Batch        `yaml:"batch"`
		Rules   script.Rules `yaml:"rules"`
		Entries []Entry      `yaml:"entries"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read script %s: %w", name, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read script %s: there is a second document, or what follows the first is malformed", name)
	}
	if len(file.Entries) == 0 {
		return nil, fmt.Errorf("read script %s: there are no entries", name)
	}
	number(data, file.Entries)
	script, err := New(file.Entries...)
	if err != nil {
		return nil, fmt.Errorf("read script %s: %w", name, err)
	}
	if file.Model != "" {
		script.call(file.Model)
	}
	if len(file.Models) > 0 {
		script.models = file.Models
	}
	script.Batch, script.Rules = file.Batch, file.Rules
	if file.Window > 0 {
		script.window = file.Window
	}
	return script, nil
}

// number notes the line of each entry. The data was parsed before, so what is not found here stays 0.
func number(data []byte, entries []Entry) {
	var root yaml.Node
	if yaml.Unmarshal(data, &root) != nil || len(root.Content) == 0 {
		return
	}
	fields := root.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i].Value != "entries" {
			continue
		}
		for k, node := range fields[i+1].Content {
			if k < len(entries) {
				entries[k].line = node.Line
			}
		}
	}
}
