package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// SchemaFor returns the JSON Schema of the struct T for Request.Schema, in the subset of OpenAI's strict
// mode (https://platform.openai.com/docs/guides/structured-outputs): no additional properties, and every
// property required; a field marked omitempty or omitzero may be null instead. Properties keep the order
// of the fields, in which models write them. A struct tag jsonschema:"…" becomes the property's
// description.
//
// It panics if T is not a struct or contains types that strict mode cannot express (a map, an any, a
// cycle), which is a bug that shows on the first call.
func SchemaFor[T any]() json.RawMessage {
	return slices.Clone(once(&strict, reflect.TypeFor[T](), encodeStrict[T]))
}

func encodeStrict[T any]() json.RawMessage {
	schema := infer[T]()
	if err := makeStrict(schema); err != nil {
		panic(fmt.Sprintf("llm.SchemaFor[%s]: %v", reflect.TypeFor[T](), err))
	}
	encoded, err := json.Marshal(schema)
	if err != nil {
		panic(fmt.Sprintf("llm.SchemaFor[%s]: %v", reflect.TypeFor[T](), err))
	}
	return encoded
}

// FileSchema returns the JSON Schema of the struct T for a file that users write: editors complete and check the file with it. Fields
// marked omitempty may be missing.
func FileSchema[T any](title string) (json.RawMessage, error) {
	schema := infer[T]()
	schema.Title, schema.Schema = title, "https://json-schema.org/draft/2020-12/schema"
	return json.MarshalIndent(schema, "", "  ")
}

// check returns why object is not a T. It requires less than SchemaFor, because models without strict
// mode omit optional fields and add others.
func check[T any](object json.RawMessage) error {
	var value any
	if err := json.Unmarshal(object, &value); err != nil {
		return plain(err)
	}
	if err := once(&lenient, reflect.TypeFor[T](), resolveLenient[T]).Validate(value); err != nil {
		return fmt.Errorf("it does not fit its schema: %w", err)
	}
	return nil
}

func resolveLenient[T any]() *jsonschema.Resolved {
	schema := infer[T]()
	makeLenient(schema)
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("prepare the schema of %s: %v", reflect.TypeFor[T](), err))
	}
	return resolved
}

// strict and lenient cache the schemas by their reflect.Type, because creating them is expensive.
var strict, lenient sync.Map

// once returns the cached value of a type, or creates it.
func once[V any](made *sync.Map, t reflect.Type, create func() V) V {
	known, is := made.Load(t)
	if !is {
		known, _ = made.LoadOrStore(t, create())
	}
	return known.(V) //nolint:errcheck,forcetypeassert // the map has no other values
}

// infer derives the schema of the struct T with optional properties nullable and lists never null.
func infer[T any]() *jsonschema.Schema {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("the answer of a model is an object, but %s is not a struct", t))
	}
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic(fmt.Sprintf("no JSON Schema for %s: %v", t, err))
	}
	normalise(schema)
	return schema
}

// normalise makes lists plain arrays (the inference allows null) and optional properties nullable.
func normalise(s *jsonschema.Schema) {
	if slices.Equal(s.Types, []string{"null", "array"}) {
		s.Type, s.Types = "array", nil
	}
	for _, child := range children(s) {
		normalise(child)
	}
	for name, property := range s.Properties {
		if !slices.Contains(s.Required, name) {
			allowNull(property)
		}
	}
}

func allowNull(s *jsonschema.Schema) {
	if s.Type != "" {
		s.Type, s.Types = "", []string{s.Type, "null"}
	}
}

var errInexpressible = errors.New("strict mode knows neither maps nor values of any type")

func makeStrict(s *jsonschema.Schema) error {
	if s.Type == "" && len(s.Types) == 0 {
		return errInexpressible
	}
	if isObject(s) {
		if s.Properties == nil {
			return errInexpressible
		}
		s.Required = slices.Clone(s.PropertyOrder)
	}
	for _, child := range children(s) {
		if err := makeStrict(child); err != nil {
			return err
		}
	}
	return nil
}

func makeLenient(s *jsonschema.Schema) {
	if s.Properties != nil {
		s.AdditionalProperties = nil
	}
	for _, child := range children(s) {
		makeLenient(child)
	}
}

func isObject(s *jsonschema.Schema) bool {
	return s.Type == "object" || slices.Contains(s.Types, "object")
}

// children returns the schemas of the properties, in order, and of the elements.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, name := range s.PropertyOrder {
		all = append(all, s.Properties[name])
	}
	if s.Items != nil {
		all = append(all, s.Items)
	}
	return all
}
