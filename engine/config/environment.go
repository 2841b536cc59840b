package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"forge/internal/lazyregexp"
)

// trimmed removes the blanks and newlines around copied values.
func trimmed(env Environ) Environ {
	return func(name string) string {
		if env == nil {
			return ""
		}
		return strings.TrimSpace(env(name))
	}
}

// environment returns the settings of models in the environment.
func environment(env Environ) Models {
	layer := Models{Default: env(EnvModel)}
	if value := env(EnvOffline); value != "" {
		offline := !saysNo(value) // any other value was meant to set the offline mode
		layer.Offline = &offline
	}
	return layer
}

// saysNo reports whether the value of a variable turns something off.
func saysNo(value string) bool {
	return slices.Contains([]string{"0", "false", "no", "off"}, strings.ToLower(value))
}

// network overrides the user's file by the variables. CAs of both are trusted.
func (m *merging) network(entry networkEntry) {
	n := &m.settings.Network
	for _, file := range []string{entry.CAFile, m.env(EnvCAFile)} {
		if file != "" {
			n.CAFiles = append(n.CAFiles, file)
		}
	}
	n.AnyProxy, n.HTTPProxy, n.NoProxy = entry.Proxy, entry.Proxy, entry.NoProxy
	if proxy := m.env.either("HTTPS_PROXY"); proxy != "" {
		n.AnyProxy = proxy
	}
	if proxy := m.env.either("HTTP_PROXY"); proxy != "" {
		n.HTTPProxy = proxy
	}
	n.AllProxy = m.env.either("ALL_PROXY")
	if hosts := m.env.either("NO_PROXY"); hosts != "" {
		n.NoProxy = hosts
	}
}

// thisMachine are the names of this machine, in the format of NO_PROXY.
const thisMachine = "localhost,127.0.0.1,::1"

// Variables returns the variables that lead commands through the proxies ("NAME=value"), in upper and in lower case, since many programs read only
// one of both. Like Forge itself, commands reach this machine without a proxy.
func (n Network) Variables() (all []string) {
	add := func(name, value string) {
		if value != "" {
			all = append(all, name+"="+value, strings.ToLower(name)+"="+value)
		}
	}
	add("HTTPS_PROXY", n.AnyProxy)
	add("HTTP_PROXY", n.HTTPProxy)
	add("ALL_PROXY", n.AllProxy)
	switch {
	case all == nil:
	case n.NoProxy == "" || n.NoProxy == "*":
		add("NO_PROXY", cmp.Or(n.NoProxy, thisMachine))
	default:
		add("NO_PROXY", n.NoProxy+","+thisMachine)
	}
	return all
}

// either reads a variable in upper or in lower case.
func (env Environ) either(name string) string {
	if value := env(name); value != "" {
		return value
	}
	return env(strings.ToLower(name))
}

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
