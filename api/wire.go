package api

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
)

// payload is the data of an event. Its JSON has the fields of fieldsOf, like the documentation and the TypeScript types.
type payload struct{ data event.Data }

// MarshalJSON encodes the data for the wire.
func (p payload) MarshalJSON() ([]byte, error) {
	if unknown, is := p.data.(event.Unknown); is {
		return unknown.Raw, nil
	}
	var b bytes.Buffer
	err := encode(&b, reflect.ValueOf(p.data))
	return b.Bytes(), err
}

// form is how a type of the engine is encoded.
type form struct {
	typ reflect.Type
	of  func(reflect.Value) reflect.Value
}

// forms are the types of the engine whose encoding differs from their fields.
var forms = map[reflect.Type]form{
	reflect.TypeFor[time.Duration]():  formOf(time.Duration.Milliseconds),
	reflect.TypeFor[time.Time]():      formOf(Stamp),
	reflect.TypeFor[llm.Cost]():       formOf(CostOf),
	reflect.TypeFor[llm.Usage]():      formOf(tokensOf),
	reflect.TypeFor[llm.Manifest]():   formOf(promptMadeOf),
	reflect.TypeFor[graph.Node]():     formOf(nodeOf),
	reflect.TypeFor[graph.Edge]():     formOf(edgeOf),
	reflect.TypeFor[gate.Report]():    formOf(GateOf),
	reflect.TypeFor[event.Question](): formOf(askOf),
}

func formOf[T, W any](of func(T) W) form {
	return form{reflect.TypeFor[W](), func(v reflect.Value) reflect.Value {
		return reflect.ValueOf(of(v.Interface().(T))) //nolint:errcheck,forcetypeassert // it is found by its type
	}}
}

// wireType returns the type that a type has on the wire.
func wireType(t reflect.Type) reflect.Type {
	if f, other := forms[t]; other {
		return f.typ
	}
	return t
}

// onWire converts a value to its form on the wire.
func onWire(v reflect.Value) reflect.Value {
	if f, other := forms[v.Type()]; other {
		return f.of(v)
	}
	return v
}

// encode writes a value of a payload.
func encode(b *bytes.Buffer, v reflect.Value) error {
	v = onWire(v)
	switch v.Kind() {
	case reflect.Struct:
		return encodeStruct(b, v)
	case reflect.Slice:
		return encodeList(b, v)
	case reflect.Pointer:
		return encode(b, v.Elem())
	default:
		text := json.NewEncoder(b)
		text.SetEscapeHTML(false) // the encoder of the whole event decides whether to escape
		err := text.Encode(v.Interface())
		b.Truncate(b.Len() - 1) // its end of line
		return err
	}
}

func encodeStruct(b *bytes.Buffer, v reflect.Value) error {
	begin := byte('{')
	for _, f := range fieldsOf(v.Type()) {
		value := f.of(v)
		if f.optional && empty(value) {
			continue
		}
		b.WriteByte(begin)
		begin = ','
		b.WriteString(`"` + f.name + `":`)
		if err := encode(b, value); err != nil {
			return err
		}
	}
	if begin == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return nil
}

// encodeList writes a list; nil is an empty list, so that clients need not handle null.
func encodeList(b *bytes.Buffer, v reflect.Value) error {
	b.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encode(b, v.Index(i)); err != nil {
			return err
		}
	}
	b.WriteByte(']')
	return nil
}

// empty reports whether an optional field is omitted.
func empty(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }

// field describes one field of a type on the wire, from its struct tags.
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

// fieldsOf returns the fields of a struct on the wire in order, including those of embedded and inlined structs.
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

// tagOf returns the name of a field on the wire, and its options. A field without a tag is not on the wire.
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

// fieldOf returns a field on the wire: several if it is inlined, none if it has no name.
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
