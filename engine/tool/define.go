package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"forge/engine/llm"
)

// define makes a tool of a function. A is the struct of its arguments: its fields are some of those of Args, those that
// may be left out marked omitempty.
func define[A any](t Tool, do func(ctx context.Context, w World, a A) (Result, error)) Tool {
	t.Schema = llm.SchemaFor[A]()
	t.takes = argumentsOf(reflect.TypeFor[A]())
	read := func(raw json.RawMessage) (a A, err error) {
		if err := llm.Decode(string(raw), &a); err != nil {
			if inner := errors.Unwrap(err); inner != nil {
				err = inner // without what it says of answers
			}
			return a, fmt.Errorf("the arguments of %s cannot be used: %w. It takes (%s)", t.Name, err, t.arguments())
		}
		return a, nil
	}
	t.check = func(raw json.RawMessage) error {
		_, err := read(raw)
		return err
	}
	t.run = func(ctx context.Context, w World, raw json.RawMessage) (Result, error) {
		a, err := read(raw)
		if err != nil {
			return failed("%v", err), nil
		}
		return do(ctx, w, a)
	}
	return t
}

// Check returns an error for invalid arguments of a later call. It is stricter than Run, which no model waits for: it also rejects
// arguments that the tool does not take.
func (t Tool) Check(args json.RawMessage) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil || given == nil {
		return fmt.Errorf("the arguments of %s are no JSON object. It takes (%s)", t.Name, t.arguments())
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !t.takesArgument(name) {
			return fmt.Errorf("%s takes no argument %q. It takes (%s)", t.Name, name, t.arguments())
		}
	}
	return t.check(args)
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

// failed returns a result that gives the model the reason why there is no answer.
func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}
