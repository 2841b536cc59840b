package imports

import (
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
)

// table is a table of a TOML file. A file that is broken has none.
type table map[string]any

func readTOML(content []byte) table {
	var all map[string]any
	if toml.Unmarshal(content, &all) != nil {
		return nil // what cannot be read is ignored
	}
	return all
}

// in returns the table that some keys lead to, one in another; nil where there is none.
func (t table) in(keys ...string) table {
	for _, key := range keys {
		inner, _ := t[key].(map[string]any)
		t = inner
	}
	return t
}

// word returns the text of a key; empty where it is something else.
func (t table) word(key string) string {
	text, _ := t[key].(string)
	return text
}

// words are the texts of a key that has one or a list of them.
func (t table) words(key string) (all []string) {
	switch value := t[key].(type) {
	case string:
		return []string{value}
	case []any:
		for _, one := range value {
			if text, is := one.(string); is {
				all = append(all, text)
			}
		}
	}
	return all
}

// tables are those of a key that has a list of them, or one.
func (t table) tables(key string) (all []table) {
	switch value := t[key].(type) {
	case map[string]any:
		return []table{value}
	case []any:
		for _, one := range value {
			if inner, is := one.(map[string]any); is {
				all = append(all, inner)
			}
		}
	}
	return all
}

// keys are the names of what is in the table, sorted.
func (t table) keys() []string { return slices.Sorted(maps.Keys(t)) }
