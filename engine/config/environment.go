package config

import "strings"

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
	switch strings.ToLower(env(EnvOffline)) {
	case "":
	case "0", "false", "no", "off":
		no := false
		layer.Offline = &no
	default: // any other value was meant to set the offline mode
		yes := true
		layer.Offline = &yes
	}
	return layer
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
	if proxy := m.either("HTTPS_PROXY"); proxy != "" {
		n.AnyProxy = proxy
	}
	if proxy := m.either("HTTP_PROXY"); proxy != "" {
		n.HTTPProxy = proxy
	}
	if hosts := m.either("NO_PROXY"); hosts != "" {
		n.NoProxy = hosts
	}
}

// either reads a variable in upper or in lower case.
func (m *merging) either(name string) string {
	if value := m.env(name); value != "" {
		return value
	}
	return m.env(strings.ToLower(name))
}
