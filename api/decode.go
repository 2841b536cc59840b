package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// ArgumentError reports a wrong argument of a command and what the command accepts.
type ArgumentError struct {
	Field   string // as on the wire, such as scope.range.start.line; empty for the arguments as a whole
	Problem string
}

// Error is the message the user sees.
func (e *ArgumentError) Error() string {
	if e.Field == "" {
		return "arguments: " + e.Problem
	}
	return e.Field + ": " + e.Problem
}

// UnknownError reports an unknown command and lists the known ones.
type UnknownError struct{ Name string }

// Error is the message the user sees.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown command %q; Forge knows %s", e.Name, strings.Join(Names(), ", "))
}

// Decode returns the arguments of the named command as a pointer to the struct in its Spec. The arguments are JSON values: one
// object; or strings key=value, where a dotted key sets a field of an object and a repeated key appends to a list; or nothing.
// Decode ignores unknown fields of an object, and rejects unknown keys of strings. Errors are *UnknownError and *ArgumentError.
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

// object converts the three forms of arguments to one map.
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
			return nil, &ArgumentError{Problem: howToCall}
		}
		if err := put(fields, key, strings.Split(key, "."), word(value)); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// parseAll parses the arguments and drops null, which some clients send for "nothing".
func parseAll[Raw ~[]byte](arguments []Raw) ([]any, error) {
	var values []any
	for _, raw := range arguments {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, &ArgumentError{Problem: howToCall}
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return nil, &ArgumentError{Problem: howToCall}
		}
		if v != nil {
			values = append(values, v)
		}
	}
	return values, nil
}

// word is a value given as text; it is converted to the type of its field. words are the values of a repeated key.
type (
	word  string
	words []word
)

// put stores a word under its dotted path. full is the whole key, for errors.
func put(fields map[string]any, full string, path []string, value word) error {
	head := path[0]
	if len(path) > 1 {
		inner, ok := fields[head].(map[string]any)
		if !ok && fields[head] != nil {
			return &ArgumentError{Field: full, Problem: "given both as a value and as an object"}
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
		return &ArgumentError{Field: full, Problem: "given both as a value and as an object"}
	}
	return nil
}

// assign sets dst from a parsed JSON value and checks types, allowed values and required fields. Unlike encoding/json, its
// errors name the field as the caller wrote it. field is the path of dst on the wire; enum lists its allowed values, separated
// by commas, or is empty.
func assign(dst reflect.Value, src any, field, enum string) error {
	switch dst.Kind() {
	case reflect.Pointer:
		dst.Set(reflect.New(dst.Type().Elem()))
		return assign(dst.Elem(), src, field, enum)
	case reflect.Struct:
		return assignStruct(dst, src, field)
	case reflect.Slice:
		return assignSlice(dst, src, field)
	case reflect.String:
		return assignString(dst, src, field, enum)
	case reflect.Bool:
		return assignBool(dst, src, field)
	case reflect.Float64:
		return assignAmount(dst, src, field)
	case reflect.Interface:
		return assignAny(dst, src)
	default:
		return assignNumber(dst, src, field)
	}
}

func assignStruct(dst reflect.Value, src any, field string) error {
	object, ok := src.(map[string]any)
	if !ok {
		return &ArgumentError{Field: field, Problem: "want an object"}
	}
	for _, f := range fieldsOf(dst.Type()) {
		value, given := object[f.name]
		if !given || value == nil {
			if f.optional {
				continue
			}
			return &ArgumentError{Field: join(field, f.name), Problem: "is required"}
		}
		if err := assign(dst.FieldByIndex(f.index), value, join(field, f.name), f.enum); err != nil {
			return err
		}
	}
	return unknownKey(dst.Type(), object, field)
}

// unknownKey returns an error for a key that was given as text and that no field has: a user has written it. A client may send fields of other versions
// in an object.
func unknownKey(t reflect.Type, object map[string]any, path string) error {
	fields := fieldsOf(t)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !isText(object[key]) || slices.ContainsFunc(fields, func(f field) bool { return f.name == key }) {
			continue
		}
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.name
		}
		problem := "is unknown; this takes no arguments"
		if len(names) > 0 {
			problem = "is unknown; want one of " + strings.Join(names, ", ")
		}
		return &ArgumentError{Field: join(path, key), Problem: problem}
	}
	return nil
}

// isText reports whether a value was given as text, also below a dotted key.
func isText(value any) bool {
	switch v := value.(type) {
	case words:
		return true
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), isText)
	}
	return false
}

func assignSlice(dst reflect.Value, src any, field string) error {
	var items []any
	switch v := src.(type) {
	case []any:
		items = v
	case words:
		for _, w := range v {
			items = append(items, words{w})
		}
	default:
		return &ArgumentError{Field: field, Problem: "want a list"}
	}
	list := reflect.MakeSlice(dst.Type(), len(items), len(items))
	for i, item := range items {
		if err := assign(list.Index(i), item, field+"["+strconv.Itoa(i)+"]", ""); err != nil {
			return err
		}
	}
	dst.Set(list)
	return nil
}

func assignString(dst reflect.Value, src any, field, enum string) error {
	text, ok := src.(string)
	if w, one := single(src); one {
		text, ok = w, true
	}
	if !ok {
		return &ArgumentError{Field: field, Problem: wantText(enum)}
	}
	if enum != "" && !slices.Contains(strings.Split(enum, ","), text) {
		return &ArgumentError{Field: field, Problem: strconv.Quote(text) + " is not allowed; " + wantText(enum)}
	}
	dst.SetString(text)
	return nil
}

func wantText(enum string) string {
	if enum == "" {
		return "want a string"
	}
	return "want one of " + strings.ReplaceAll(enum, ",", ", ")
}

func assignBool(dst reflect.Value, src any, field string) error {
	value, ok := src.(bool)
	if w, one := single(src); one {
		parsed, err := strconv.ParseBool(w)
		value, ok = parsed, err == nil
	}
	if !ok {
		return &ArgumentError{Field: field, Problem: "want true or false"}
	}
	dst.SetBool(value)
	return nil
}

// assignNumber sets whole numbers from 0: no argument is negative or fractional.
func assignNumber(dst reflect.Value, src any, field string) error {
	text := ""
	if number, ok := src.(json.Number); ok {
		text = number.String()
	} else if w, one := single(src); one {
		text = w
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return &ArgumentError{Field: field, Problem: "want a whole number from 0 to 2147483647"}
	}
	if dst.CanUint() {
		dst.SetUint(n)
	} else {
		dst.SetInt(int64(n))
	}
	return nil
}

// maxAmount bounds amounts, in US dollars.
const maxAmount = 1_000_000

// assignAmount sets amounts from 0, which may be fractional.
func assignAmount(dst reflect.Value, src any, field string) error {
	text := ""
	if number, ok := src.(json.Number); ok {
		text = number.String()
	} else if w, one := single(src); one {
		text = w
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= maxAmount) {
		return &ArgumentError{Field: field, Problem: "want a number from 0 to " + strconv.Itoa(maxAmount)}
	}
	dst.SetFloat(n)
	return nil
}

// assignAny assigns a value without checking it; a later stage validates it. A text that parses as JSON is assigned as the parsed value.
func assignAny(dst reflect.Value, src any) error {
	if text, one := single(src); one {
		var parsed any
		if json.Unmarshal([]byte(text), &parsed) != nil {
			parsed = text
		}
		src = parsed
	}
	dst.Set(reflect.ValueOf(&src).Elem())
	return nil
}

// single returns the value of a key that was given once, as text.
func single(src any) (string, bool) {
	if w, ok := src.(words); ok && len(w) == 1 {
		return string(w[0]), true
	}
	return "", false
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
