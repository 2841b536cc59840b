package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// JSONProblem decodes a line and returns why it does not have these shapes, or nothing.
func JSONProblem(line []byte, into any, shapes string) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(line, into); {
	case errors.As(err, &syntax):
		return fmt.Sprintf("the line is no JSON; it goes wrong at byte %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("the line must be an object, not %s", article(kind.Value))
	case errors.As(err, &kind):
		return fmt.Sprintf("%s cannot be %s: %s", kind.Field, article(kind.Value), shapes)
	case err != nil:
		return err.Error()
	case !utf8.Valid(line):
		return "the line is not valid UTF-8"
	}
	return ""
}

func article(kind string) string {
	switch kind {
	case "array", "object":
		return "an " + kind
	}
	return "a " + kind
}
