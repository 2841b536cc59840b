package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// readTOML reads a TOML file; not ok is one that no tool can read.
func readTOML(text string) (file map[string]any, ok bool) {
	return file, toml.Unmarshal([]byte(text), &file) == nil
}

// values gives the values of a table and of those in it, by their whole names ("tool.ruff.select"), sorted. A list is one value.
func values(table map[string]any, below string, each func(name string, value any)) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if inner, is := table[key].(map[string]any); is {
			values(inner, below+key+".", each)
			continue
		}
		each(below+key, table[key])
	}
}

// setting is a line that says what a value is.
func setting(name string, value any) string { return fmt.Sprintf("%s = %#v", name, value) }
