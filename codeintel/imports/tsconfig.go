package imports

import (
	"encoding/json"
	"strings"
)

// scriptConfig is the part of tsconfig.json, with what it extends, on which imports depend.
type scriptConfig struct {
	base    string // where names that are not relative are looked up
	hasBase bool
	aliases []alias
	parts   []*scriptConfig // those it references, for files that it does not build itself
}

// alias is one entry of paths: a name, or what precedes and follows its "*".
type alias struct {
	prefix, suffix string
	star           bool
	targets        []string // paths below the root, "*" included
}

// The bounds of how far configurations extend and reference each other, and of how many that are.
const (
	maxConfigDepth = 8
	maxConfigs     = 300
)

// writtenConfig is tsconfig.json as it is in the file.
type writtenConfig struct {
	Extends         json.RawMessage // a name or several
	CompilerOptions struct {
		BaseURL *string
		Paths   json.RawMessage // to lists of paths, in order
	}
	References []struct{ Path string }
}

// configReader reads one configuration with all it depends on. Circles end at maxConfigDepth, and what fans out
// at maxConfigs.
type configReader struct {
	*scriptResolver
	left int // files that may still be read
}

// read reads a configuration and those it depends on; nil if there is none at that path.
func (r *configReader) read(name string, depth int) *scriptConfig {
	if depth > maxConfigDepth || r.left == 0 {
		return nil
	}
	content := r.tree.config(name)
	if content == nil {
		return nil
	}
	r.left--
	var written writtenConfig
	readJSON(content, &written)
	folder := folderOf(name)
	config := &scriptConfig{}
	for _, extended := range oneOrMore(written.Extends) {
		config.extend(r.extended(folder, extended, depth+1))
	}
	config.take(folder, &written)
	for _, reference := range written.References {
		if part := r.referenced(folder, reference.Path, depth+1); part != nil {
			config.parts = append(config.parts, part)
		}
	}
	return config
}

// extend merges the configurations that a configuration extends; the later one counts.
func (c *scriptConfig) extend(extended *scriptConfig) {
	if extended == nil {
		return
	}
	if extended.hasBase {
		c.base, c.hasBase = extended.base, true
	}
	if extended.aliases != nil {
		c.aliases = extended.aliases
	}
}

// take merges the settings of a configuration in a folder. Its paths start at baseUrl, or at the folder.
func (c *scriptConfig) take(folder string, written *writtenConfig) {
	if base := written.CompilerOptions.BaseURL; base != nil {
		if c.base, c.hasBase = within(folder, ofConfigDir(*base)); !c.hasBase {
			c.aliases = nil // they start outside of the tree
			return
		}
	}
	if paths := written.CompilerOptions.Paths; paths != nil {
		if c.hasBase {
			folder = c.base
		}
		c.aliases = readAliases(paths, folder)
	}
}

// extended finds what "extends" names: a path, its ending left out or not, or a file of a package in the tree.
func (r *configReader) extended(folder, name string, depth int) *scriptConfig {
	target, ok := within(folder, ofConfigDir(name))
	if !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "${configDir}") {
		owner, rest, found := r.member(folder, name)
		target, ok = below(owner, rest), found
	}
	if !ok {
		return nil
	}
	for _, candidate := range []string{target, target + ".json", below(target, "tsconfig.json")} {
		if config := r.read(candidate, depth); config != nil {
			return config
		}
	}
	return nil
}

func (r *configReader) referenced(folder, name string, depth int) *scriptConfig {
	target, ok := within(folder, name)
	if !ok {
		return nil
	}
	if !strings.HasSuffix(target, ".json") {
		target = below(target, "tsconfig.json")
	}
	return r.read(target, depth)
}

// ofConfigDir reads "${configDir}" as the folder of the configuration.
func ofConfigDir(written string) string {
	if rest, ok := strings.CutPrefix(written, "${configDir}"); ok {
		return "." + rest
	}
	return written
}

// readAliases reads paths. Names with more than one "*" are no names, and targets out of the root are none.
func readAliases(content []byte, from string) []alias {
	aliases := []alias{}
	for _, entry := range orderedJSON(content) {
		a := alias{}
		a.prefix, a.suffix, a.star = strings.Cut(entry.key, "*")
		if strings.Contains(a.suffix, "*") {
			continue
		}
		for _, written := range oneOrMore(entry.value) {
			if target, ok := within(from, ofConfigDir(written)); ok {
				a.targets = append(a.targets, target)
			}
		}
		aliases = append(aliases, a)
	}
	return aliases
}

// match returns where an alias may lead a name: the alias that is the name, or the one with the longest beginning.
func match(aliases []alias, name string) (targets []string, star string) {
	longest := -1
	for _, a := range aliases {
		if !a.star && a.prefix == name {
			return a.targets, ""
		}
		if a.star && len(a.prefix) > longest && len(name) >= len(a.prefix)+len(a.suffix) &&
			strings.HasPrefix(name, a.prefix) && strings.HasSuffix(name, a.suffix) {
			targets, star, longest = a.targets, name[len(a.prefix):len(name)-len(a.suffix)], len(a.prefix)
		}
	}
	return targets, star
}
