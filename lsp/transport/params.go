package transport

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"forge/internal/lazyregexp"

	"go.lsp.dev/jsonrpc2"
)

// NoParams is for methods whose parameters do not matter.
type NoParams struct{}

// Decode reads parameters; its error is an InvalidParams answer that names the field.
func Decode[P any](params []byte) (*P, error) {
	p := new(P)
	if _, none := any(p).(*NoParams); none {
		return p, nil
	}
	if len(params) == 0 {
		return nil, InvalidParams("the parameters are missing")
	}
	if err := (Codec{}).Unmarshal(params, p); err != nil {
		return nil, InvalidParams("%s", explain(params, err))
	}
	return p, nil
}

// InvalidParams is the answer to a request whose parameters are wrong; the text names the field and
// what it may be.
func InvalidParams(format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, format, args...)
}

// decoderError is how the protocol package says what it expected, and at which byte.
var decoderError = lazyregexp.New(`^protocol: invalid JSON ([a-z ]+) at offset (\d+)$`)

// explain says for people which parameter is wrong. The decoder's own words name bytes and Go types.
func explain(params []byte, err error) string {
	if errors.Is(err, errTooDeep) {
		return fmt.Sprintf("the parameters are nested deeper than %d levels", maxDepth)
	}
	found := decoderError.FindStringSubmatch(err.Error())
	if found == nil {
		return "the parameters do not have the form that the protocol gives them"
	}
	offset, _ := strconv.Atoi(found[2])
	if field := fieldAt(params, offset); field != "" {
		return fmt.Sprintf("%s is not a valid %s", field, found[1])
	}
	return fmt.Sprintf("the parameters are not a valid %s", found[1])
}

// container is an object or array that encloses a place in JSON.
type container struct {
	object  bool
	key     string // of an object: the member
	index   int    // of an array: the element
	wantKey bool   // the next string is a key
}

// fieldAt returns the path of the value at an offset of JSON, such as range.start.line or edits[2];
// empty for the whole.
func fieldAt(data []byte, offset int) string {
	var open []container
	for i := 0; i < min(offset, len(data)); i++ {
		inside := len(open) - 1
		switch c := data[i]; {
		case c == '{' || c == '[':
			open = append(open, container{object: c == '{', wantKey: c == '{'})
		case inside < 0:
		case c == '}' || c == ']':
			open = open[:inside]
		case c == ',':
			open[inside].index++
			open[inside].wantKey = open[inside].object
		case c == '"':
			end := min(stringEnd(data, i), len(data))
			if open[inside].wantKey {
				open[inside].key, open[inside].wantKey = string(data[i+1:end]), false
			}
			i = end
		}
	}
	return pathOf(open)
}

func pathOf(open []container) string {
	var b strings.Builder
	for _, c := range open {
		switch {
		case !c.object:
			fmt.Fprintf(&b, "[%d]", c.index)
		case b.Len() > 0:
			b.WriteString("." + c.key)
		default:
			b.WriteString(c.key)
		}
	}
	return b.String()
}
