package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// ArgumentError says which argument of a command is wrong, and what would be right.
type ArgumentError struct {
	Field string // as on the wire, such as scope.range.start.line; empty for the arguments as a whole
	Want  string
}

// Error is the message the user sees.
func (e *ArgumentError) Error() string {
	if e.Field == "" {
		return "arguments: " + e.Want
	}
	return e.Field + ": " + e.Want
}

// UnknownError says that there is no such command, and which there are.
type UnknownError struct{ Name string }

// Error is the message the user sees.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown command %q; Forge knows %s", e.Name, strings.Join(Names(), ", "))
}

// Decode returns the arguments of the named command as a pointer to the struct its Spec names. The
// arguments, JSON values, are one object, or strings key=value (a dotted key reaches into an object, a
// repeated key fills a list), or nothing. Unknown fields are ignored. Errors are *UnknownError and
// *ArgumentError.
func Decode[Raw ~[]byte](name string, arguments []Raw) (any, error) {
	spec, ok := lookup(name)
	if !ok {
		return nil, &UnknownError{Name: name}
	}
	object, err := object(arguments)
	if err != nil {
		return nil, err
	}
	args := reflect.New(reflect.TypeOf(spec.Args))
	if err := assign(args.Elem(), object, "", ""); err != nil {
		return nil, err
	}
	return args.Interface(), nil
}

func lookup(name string) (Spec, bool) {
	table := Table()
	i := slices.IndexFunc(table, func(s Spec) bool { return s.Name == name })
	if i < 0 {
		return Spec{}, false
	}
	return table[i], true
}

const howToCall = "want one JSON object, or strings key=value, or nothing"

// object brings the three ways of giving arguments into one form.
func object[Raw ~[]byte](arguments []Raw) (map[string]any, error) {
	values, err := parseAll(arguments)
	if err != nil || len(values) == 0 {
		return map[string]any{}, err
	}
	if o, ok := values[0].(map[string]any); ok && len(values) == 1 {
		return o, nil
	}
	fields := map[string]any{}
	for _, v := range values {
		s, ok := v.(string)
		key, value, pair := strings.Cut(s, "=")
		if !ok || !pair || key == "" {
			return nil, &ArgumentError{Want: howToCall}
		}
		if err := put(fields, key, strings.Split(key, "."), word(value)); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// parseAll parses each argument, and leaves out null, which some clients send for "nothing".
func parseAll[Raw ~[]byte](arguments []Raw) ([]any, error) {
	var values []any
	for _, raw := range arguments {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, &ArgumentError{Want: howToCall}
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return nil, &ArgumentError{Want: howToCall}
		}
		if v != nil {
			values = append(values, v)
		}
	}
	return values, nil
}

// word is a value given as text, which takes the type of the field it is for; words are the values of
// a repeated key.
type (
	word  string
	words []word
)

// put files a word under its dotted path. full is the key as it was given, for the error.
func put(fields map[string]any, full string, path []string, value word) error {
	head := path[0]
	if len(path) > 1 {
		inner, ok := fields[head].(map[string]any)
		if !ok && fields[head] != nil {
			return &ArgumentError{Field: full, Want: "given both as a value and as an object"}
		}
		if inner == nil {
			inner = map[string]any{}
			fields[head] = inner
		}
		return put(inner, full, path[1:], value)
	}
	switch old := fields[head].(type) {
	case nil:
		fields[head] = words{value}
	case words:
		fields[head] = append(old, value)
	default:
		return &ArgumentError{Field: full, Want: "given both as a value and as an object"}
	}
	return nil
}
