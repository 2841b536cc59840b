package api

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// field is what the struct tags of a type on the wire say of one field.
type field struct {
	name     string // on the wire
	doc      string
	enum     string // allowed values, separated by commas; empty when there is no such list
	optional bool
	typ      reflect.Type // on the wire
	index    []int        // in the struct; of an inlined field, in the one that it comes from
	of       func(v reflect.Value) reflect.Value
}

var knownFields sync.Map // of types: their fields

// fieldsOf returns the fields of a struct on the wire, those of embedded and inlined structs among them, in order.
func fieldsOf(t reflect.Type) []field {
	if known, found := knownFields.Load(t); found {
		return known.([]field) //nolint:errcheck,forcetypeassert // nothing else is stored
	}
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous { // its fields follow, as encoding/json has them
			fields = append(fields, fieldOf(f)...)
		}
	}
	knownFields.Store(t, fields)
	return fields
}

// tagOf is the name of a field on the wire, and its options. A field without a tag is not on the wire.
func tagOf(f reflect.StructField) (name string, options map[string]bool) {
	tag, found := f.Tag.Lookup("wire")
	if !found {
		tag = f.Tag.Get("json")
	}
	parts := strings.Split(tag, ",")
	options = map[string]bool{}
	for _, o := range parts[1:] {
		options[o] = true
	}
	return parts[0], options
}

// fieldOf is a field on the wire: several where it is inlined, none where it has no name.
func fieldOf(f reflect.StructField) []field {
	name, options := tagOf(f)
	value := func(v reflect.Value) reflect.Value { return v.FieldByIndex(f.Index) }
	if options["inline"] {
		inner := slices.Clone(fieldsOf(wireType(f.Type)))
		for i, of := range inner {
			inner[i].of = func(v reflect.Value) reflect.Value { return of.of(onWire(value(v))) }
		}
		return inner
	}
	if name == "" {
		return nil
	}
	w := field{
		name: name, doc: f.Tag.Get("doc"), enum: f.Tag.Get("enum"), optional: options["omitempty"] || options["omitzero"],
		typ: wireType(f.Type), index: f.Index,
	}
	switch {
	case options["uri"]:
		w.of = func(v reflect.Value) reflect.Value { return reflect.ValueOf(FileURI(value(v).String())) }
	case options["usd"]:
		w.typ = reflect.TypeFor[float64]()
		w.of = func(v reflect.Value) reflect.Value { return reflect.ValueOf(usd(value(v).Int())) }
	default:
		w.of = func(v reflect.Value) reflect.Value { return onWire(value(v)) }
	}
	return []field{w}
}
