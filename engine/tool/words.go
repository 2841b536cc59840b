package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Arguments makes arguments of words, as users type them: name=value for those that the tool takes, a name given again for a
// list; a word without a name is the first one's. The error says what is wrong with which word.
func (t Tool) Arguments(words []string) (json.RawMessage, error) {
	given := map[string]any{}
	for _, word := range words {
		name, value, named := strings.Cut(word, "=")
		if named = named && t.takesArgument(name); !named {
			if len(t.takes) == 0 {
				return nil, fmt.Errorf("%s takes no arguments", t.Name)
			}
			name, value = strings.TrimSuffix(t.takes[0], "?"), word
		}
		if err := t.give(given, name, value); err != nil {
			return nil, err
		}
	}
	return json.Marshal(given)
}

func (t Tool) takesArgument(name string) bool {
	return slices.Contains(t.takes, name) || slices.Contains(t.takes, name+"?")
}

// give adds the value of an argument, as its type says.
func (t Tool) give(given map[string]any, name, value string) error {
	_, again := given[name]
	switch kind := t.kind(name); {
	case kind == "array":
		list, _ := given[name].([]string)
		given[name] = append(list, value)
	case again:
		return fmt.Errorf("%s has two values for %s: put a value with spaces into quotes, and say others by their names (%s)", t.Name, name, t.arguments())
	case kind == "integer":
		number, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%s=%s: want a number", name, value)
		}
		given[name] = number
	case kind == "boolean":
		yes, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%s=%s: want true or false", name, value)
		}
		given[name] = yes
	default:
		given[name] = value
	}
	return nil
}

// kind is the type of an argument, as the schema names it.
func (t Tool) kind(name string) string {
	var schema struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(t.Schema, &schema) // made by define
	kinds, several := schema.Properties[name].Type.([]any)
	if several && len(kinds) > 0 {
		kind, _ := kinds[0].(string)
		return kind
	}
	kind, _ := schema.Properties[name].Type.(string)
	return kind
}
