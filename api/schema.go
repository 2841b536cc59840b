package api

import (
	"reflect"
	"strings"
)

// field is what the struct tags of this package say of one field.
type field struct {
	name     string // on the wire
	doc      string
	enum     string // allowed values, separated by commas; empty when there is no such list
	optional bool
	typ      reflect.Type
	index    []int
}

// fieldsOf returns the fields of a wire struct, those of embedded structs among them, in order.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue // its fields follow, as encoding/json has them
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		fields = append(fields, field{
			name:     name,
			doc:      f.Tag.Get("doc"),
			enum:     f.Tag.Get("enum"),
			optional: strings.Contains(options, "omitempty"),
			typ:      f.Type,
			index:    f.Index,
		})
	}
	return fields
}

// wireTypes returns every struct that is reachable from the commands and events, each once, in the
// order a reader meets them.
func wireTypes() []reflect.Type {
	var types []reflect.Type
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return
		}
		seen[t] = true
		types = append(types, t)
		for _, f := range fieldsOf(t) {
			visit(f.typ)
		}
	}
	for _, spec := range Table() {
		visit(reflect.TypeOf(spec.Args))
		visit(reflect.TypeOf(spec.Result))
	}
	for _, payload := range eventPayloads() {
		visit(reflect.TypeOf(payload.Data))
	}
	visit(reflect.TypeFor[Delta]())
	return types
}
