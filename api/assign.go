package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// assign sets dst from a parsed JSON value, checking types, allowed values and required fields on the
// way. It is encoding/json's job done with errors that name the field as the caller wrote it.
// field is the path of dst on the wire; enum its allowed values, separated by commas, or empty.
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
		return assignAnything(dst, src)
	default:
		return assignNumber(dst, src, field)
	}
}

func assignStruct(dst reflect.Value, src any, field string) error {
	object, ok := src.(map[string]any)
	if !ok {
		return &ArgumentError{Field: field, Want: "want an object"}
	}
	for _, f := range fieldsOf(dst.Type()) {
		value, given := object[f.name]
		if !given || value == nil {
			if f.optional {
				continue
			}
			return &ArgumentError{Field: join(field, f.name), Want: "is required"}
		}
		if err := assign(dst.FieldByIndex(f.index), value, join(field, f.name), f.enum); err != nil {
			return err
		}
	}
	return nil
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
		return &ArgumentError{Field: field, Want: "want a list"}
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
		return &ArgumentError{Field: field, Want: wantText(enum)}
	}
	if enum != "" && !slices.Contains(strings.Split(enum, ","), text) {
		return &ArgumentError{Field: field, Want: strconv.Quote(text) + " is not allowed; " + wantText(enum)}
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
		return &ArgumentError{Field: field, Want: "want true or false"}
	}
	dst.SetBool(value)
	return nil
}

// assignNumber sets whole numbers from 0: no argument of a command is negative or a fraction.
func assignNumber(dst reflect.Value, src any, field string) error {
	text := ""
	if number, ok := src.(json.Number); ok {
		text = number.String()
	} else if w, one := single(src); one {
		text = w
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return &ArgumentError{Field: field, Want: "want a whole number from 0 to 2147483647"}
	}
	if dst.CanUint() {
		dst.SetUint(n)
	} else {
		dst.SetInt(int64(n))
	}
	return nil
}

// maxAmount is more than anybody spends: amounts are US dollars.
const maxAmount = 1_000_000

// assignAmount sets amounts from 0, which may be fractions.
func assignAmount(dst reflect.Value, src any, field string) error {
	text := ""
	if number, ok := src.(json.Number); ok {
		text = number.String()
	} else if w, one := single(src); one {
		text = w
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= maxAmount) {
		return &ArgumentError{Field: field, Want: "want a number from 0 to " + strconv.Itoa(maxAmount)}
	}
	dst.SetFloat(n)
	return nil
}

// assignAnything sets what is for somebody else to judge. What was given as text is JSON if it can be read as that.
func assignAnything(dst reflect.Value, src any) error {
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

// single returns the value of a key that was given exactly once as text.
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
