package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"forge/engine/llm"
)

// define makes a tool of a function. A is the struct of its arguments: its fields are some of those of Args, those that
// may be left out marked omitempty.
func define[A any](t Tool, do func(ctx context.Context, w World, a A) (Result, error)) Tool {
	t.Schema = llm.SchemaFor[A]()
	t.takes = argumentsOf(reflect.TypeFor[A]())
	t.run = func(ctx context.Context, w World, raw json.RawMessage) (Result, error) {
		var a A
		if err := llm.Decode(string(raw), &a); err != nil {
			if inner := errors.Unwrap(err); inner != nil {
				err = inner // without what it says of answers
			}
			return failed("the arguments of %s cannot be used: %v. It takes (%s)", t.Name, err, t.arguments()), nil
		}
		return do(ctx, w, a)
	}
	return t
}

// argumentsOf names the fields of a struct as the wire does, those that may be left out with a question mark.
func argumentsOf(of reflect.Type) []string {
	names := make([]string, of.NumField())
	for i := range names {
		name, options, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if options != "" {
			name += "?"
		}
		names[i] = name
	}
	return names
}

func (t Tool) arguments() string { return strings.Join(t.takes, ", ") }

// failed says why there is no answer, to the model.
func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}
