package api

import (
	"reflect"

	"forge/engine/event"
)

// Generated returns the files that are generated from this package, by their slash-separated path in
// the repository.
func Generated() map[string]string {
	return map[string]string{
		"docs/commands.md":                     Markdown(),
		"vscode-extension/src/protocol_gen.ts": TypeScript(),
	}
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
		t = wireType(t)
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
	for _, data := range event.Types() {
		visit(payloadType(data))
	}
	visit(reflect.TypeFor[Restriction]())
	visit(reflect.TypeFor[ErrorData]())
	visit(reflect.TypeFor[Delta]())
	visit(reflect.TypeFor[ConversationChanged]())
	visit(reflect.TypeFor[ProposalChanged]())
	return types
}

// payloadType is the type that describes the data of an event: that of its only field, if that stands in the place of the data.
func payloadType(d event.Data) reflect.Type {
	t := reflect.TypeOf(d)
	if t.NumField() == 1 {
		if _, options := tagOf(t.Field(0)); options["inline"] {
			return wireType(t.Field(0).Type)
		}
	}
	return t
}
