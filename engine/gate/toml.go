package gate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// readTOML reads a TOML file; not ok means that no tool can read it.
func readTOML(text string) (file map[string]any, ok bool) {
	return file, toml.Unmarshal([]byte(text), &file) == nil
}

// values yields the values of a table and its subtables, by their full names ("tool.ruff.select"), sorted. A list is one value.
func values(table map[string]any, below string, each func(name string, value any)) {
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if inner, is := table[key].(map[string]any); is {
			values(inner, below+key+".", each)
			continue
		}
		each(below+key, table[key])
	}
}

// setting returns a line with the name and value of a setting.
func setting(name string, value any) string { return fmt.Sprintf("%s = %#v", name, value) }
