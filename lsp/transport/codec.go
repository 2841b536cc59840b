package transport

import (
	"bytes"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// maxDepth is how deep JSON may nest. Decoders are recursive; nothing an editor sends comes near it.
const maxDepth = 1000

var errTooDeep = errors.New("it is nested too deeply")

// Codec is the payload codec of the connection. It goes through protocol's functions, because
// encoding/json gets the protocol's unions wrong.
type Codec struct{}

// Marshal encodes v; a RawMessage is JSON already.
func (Codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal decodes data into v, and refuses what is nested deeper than maxDepth.
func (Codec) Unmarshal(data []byte, v any) error {
	if tooDeep(data) {
		return errTooDeep
	}
	return protocol.Unmarshal(data, v)
}

// tooDeep reports whether data nests deeper than maxDepth, without recursion.
func tooDeep(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i)
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// stringEnd returns the index of the quote that closes the string opened at i, or the last index.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		next := bytes.IndexAny(data[i:], `"\`)
		if next < 0 {
			return len(data)
		}
		i += next
		if data[i] == '"' {
			return i
		}
		i++ // whatever is escaped is no end
	}
	return len(data)
}
