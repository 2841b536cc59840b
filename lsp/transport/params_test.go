package transport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
)

func TestParams_BadParamsNameTheField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, params string
		decode       func(params []byte) error
		want         string
	}{
		{"nothing", ``, decodeAs[protocol.CodeActionParams], "the parameters are missing"},
		{"a text", `"text"`, decodeAs[protocol.CodeActionParams], "the parameters are not a valid object"},
		{"a list", `[]`, decodeAs[protocol.CodeActionParams], "the parameters are not a valid object"},
		{"a number for a text", `{"textDocument":{"uri":5}}`, decodeAs[protocol.DocumentSymbolParams], "textDocument.uri is not a valid string"},
		{"a list for an object", `{"textDocument":{"uri":"file:///a,b\"[{"},"range":[]}`, decodeAs[protocol.CodeActionParams], "range is not a valid object"},
		{"a negative line", `{"range":{"start":{"line":-1}}}`, decodeAs[protocol.CodeActionParams], "range.start.line is not a valid unsigned integer"},
		{"an element", `{"textDocument":{},"context":{"diagnostics":[{},{"range":{}},{"range":7}]}}`, decodeAs[protocol.CodeActionParams], "context.diagnostics[2].range is not a valid object"},
		{"a command", `{"command":5}`, decodeAs[protocol.ExecuteCommandParams], "command is not a valid string"},
		{"a union", `{"contentChanges":[{"text":5}]}`, decodeAs[protocol.DidChangeTextDocumentParams], "the parameters do not have the form that the protocol gives them"},
		{"depth", strings.Repeat("[", 2000), decodeAs[protocol.ExecuteCommandParams], "the parameters are nested deeper than 1000 levels"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.EqualError(t, test.decode([]byte(test.params)), test.want)
		})
	}
	require.NoError(t, decodeAs[NoParams]([]byte("anything")))
}

func decodeAs[P any](params []byte) error {
	_, err := Decode[P](params)
	return err
}

func TestParams_BoundTheDepth(t *testing.T) {
	t.Parallel()
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, data string
		want       bool
	}{
		{"as deep as allowed", nest(maxDepth), false},
		{"one deeper", nest(maxDepth + 1), true},
		{"not closed", strings.Repeat(`{"a":`, maxDepth+1), true},
		{"side by side", "[" + strings.Repeat("[],", 3*maxDepth) + "[]]", false},
		{"inside a string", `"` + strings.Repeat("[", 2*maxDepth) + `"`, false},
		{"behind an escaped quote", `"\"` + strings.Repeat("[", 2*maxDepth) + `"`, false},
		{"behind an escaped backslash", `"\\"` + strings.Repeat("[", 2*maxDepth), true},
		{"a string without end", `"\`, false},
		{"nothing", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, tooDeep([]byte(test.data)))
		})
	}
}

func FuzzParams(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\"]"}]}`, `"`, `]`, `{"a"`, `{"\`, `,,:`} {
		f.Add([]byte(seed), 5)
	}
	f.Fuzz(func(t *testing.T, params []byte, offset int) {
		fieldAt(params, offset)
		if _, err := Decode[protocol.CodeActionParams](params); err != nil {
			require.NotContains(t, err.Error(), "protocol.")
		}
	})
}
