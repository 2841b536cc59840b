package spend_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/llm"
	"forge/engine/spend"
)

func TestBound_Most(t *testing.T) {
	t.Parallel()
	text := func(n int) llm.Request {
		return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("x", n)}}, MaxTokens: 50}
	}
	for name, c := range map[string]struct {
		request llm.Request
		window  int
		want    spend.Bound
	}{
		"a byte is at most a token":      {text(1000), 0, spend.Bound{Input: 1048, Output: 50}},
		"a window is larger than that":   {text(1000), 9000, spend.Bound{Input: 1048, Output: 50}},
		"more than a window is no call":  {text(1000), 500, spend.Bound{Input: 500, Output: 50}},
		"thinking is beside the answer":  {llm.Request{MaxTokens: 5, Thinking: 7}, 0, spend.Bound{Input: 32, Output: 12}},
		"an answer of any length":        {llm.Request{}, 500, spend.Bound{Input: 32, Output: 500}},
		"an answer of an unknown length": {llm.Request{}, 0, spend.Bound{Input: 32, Output: 1 << 20}},
		"nothing is subtracted":          {llm.Request{MaxTokens: 5, Thinking: -7}, 0, spend.Bound{Input: 32, Output: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, spend.Most(c.request, c.window))
		})
	}
}

// Whatever becomes of a request on its way, the JSON that is sent of it included, the bound has room for each of its bytes.
func TestBound_TheBoundHasRoomForEveryByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.Rune(), 0, 60, -1)
		q := llm.Request{MaxTokens: 1, Messages: []llm.Message{
			{Role: llm.System, Text: text.Draw(t, "system")},
			{Role: llm.Assistant, Calls: []llm.ToolCall{{ID: text.Draw(t, "id"), Name: "n", Arguments: json.RawMessage(`{"a":1}`)}}},
			{Role: llm.Tool, CallID: text.Draw(t, "call"), Text: text.Draw(t, "text")},
		}}
		if rapid.Bool().Draw(t, "tools") {
			q.Tools = []llm.ToolDef{{Name: text.Draw(t, "tool"), Description: text.Draw(t, "description"), Schema: json.RawMessage(`{}`)}}
		}
		if rapid.Bool().Draw(t, "schema") {
			q.Schema, q.SchemaName = json.RawMessage(`{"type":"object","properties":{}}`), text.Draw(t, "name")
		}
		bytes := len(q.Schema) + len(q.SchemaName)
		for _, m := range q.Messages {
			bytes += len(m.Role) + len(m.Text) + len(m.CallID)
			for _, c := range m.Calls {
				bytes += len(c.ID) + len(c.Name) + len(c.Arguments)
			}
		}
		for _, tool := range q.Tools {
			bytes += len(tool.Name) + len(tool.Description) + len(tool.Schema)
		}
		require.GreaterOrEqual(t, spend.Most(q, 0).Input, bytes)
		var learned llm.Learned
		most, seen := spend.Most(q, 0), 0
		_, _ = learned.Degrade("p", "m", stating{&seen}).Complete(t.Context(), q, nil)
		require.GreaterOrEqual(t, most.Input, seen, "put into words")
	})
}

// stating is a model that takes no schema; it counts the bytes of what it is asked.
type stating struct{ bytes *int }

func (stating) Name() string { return "stating" }

func (s stating) Complete(_ context.Context, q llm.Request, _ func(string)) (llm.Response, error) {
	*s.bytes = 0
	for _, m := range q.Messages {
		*s.bytes += len(m.Text)
	}
	if len(q.Schema) > 0 {
		return llm.Response{}, &llm.Error{Kind: llm.KindUnsupported, Feature: llm.FeatureSchema, Err: errNoSchema}
	}
	return llm.Response{}, nil
}

var errNoSchema = errors.New("it takes no schema")
