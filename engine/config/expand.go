package config

import (
	"fmt"

	"forge/internal/lazyregexp"

	"go.yaml.in/yaml/v3"
)

// reference matches ${VAR}.
var reference = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// expanding expands variables while a file is read.
func expanding(name string, env Environ) editing {
	return func(root *yaml.Node, notices []Notice) []Notice { return append(notices, expand(name, root, env)...) }
}

// expand replaces every ${VAR} in the values of the user's file. A value with an unset variable is dropped with a
// notice. Keys of providers stay as they are: see secretOf.
func expand(name string, root *yaml.Node, env Environ) []Notice {
	var notices []Notice
	var walk func(node *yaml.Node)
	walk = func(node *yaml.Node) {
		for i, below := range node.Content {
			isName := node.Kind == yaml.MappingNode && i%2 == 0
			ofKey := node.Kind == yaml.MappingNode && !isName && node.Content[i-1].Value == "key"
			switch {
			case isName, ofKey:
			case below.Kind == yaml.ScalarNode:
				notices = append(notices, expandValue(name, below, env)...)
			default:
				walk(below)
			}
		}
	}
	walk(root)
	return notices
}

func expandValue(name string, node *yaml.Node, env Environ) []Notice {
	var notices []Notice
	node.Value = reference.ReplaceAllStringFunc(node.Value, func(found string) string {
		variable := reference.FindStringSubmatch(found)[1]
		value := env(variable)
		if value == "" {
			notices = append(notices, Notice{name, node.Line, fmt.Sprintf("%s is not set: set it, or write the value here", variable)})
		}
		return value
	})
	if notices != nil {
		node.Value = ""
	}
	return notices
}
