package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

type reply struct {
	Summary string  `json:"summary" jsonschema:"one sentence"`
	Edits   []edit  `json:"edits"`
	Note    string  `json:"note,omitempty"`
	Weight  float64 `json:"weight,omitzero"`
	First   *edit   `json:"first,omitempty"`
	hidden  int
}

type edit struct {
	Path string `json:"path"`
	Line uint   `json:"line,omitempty"`
}

func TestSchema_ForIsStrict(t *testing.T) {
	t.Parallel()
	_ = reply{hidden: 1}
	const editSchema = `"properties":{"path":{"type":"string"},"line":{"type":["integer","null"],"minimum":0}},` +
		`"required":["path","line"],"additionalProperties":false`
	const want = `{"type":"object","properties":{
		"summary":{"type":"string","description":"one sentence"},
		"edits":{"type":"array","items":{"type":"object",` + editSchema + `}},
		"note":{"type":["string","null"]},
		"weight":{"type":["number","null"]},
		"first":{"type":["null","object"],` + editSchema + `}},
		"required":["summary","edits","note","weight","first"],"additionalProperties":false}`
	require.JSONEq(t, want, string(llm.SchemaFor[reply]()))
}

func TestSchema_ForKeepsTheOrderOfFields(t *testing.T) {
	t.Parallel()
	var schema struct {
		Properties json.RawMessage `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(llm.SchemaFor[verdict](), &schema))
	require.Regexp(t, `^\{"approved":.*"reason":.*"score":.*"files":.*"tags":`, string(schema.Properties))
}

func TestSchema_ForRejectsTypesOutOfStrictMode(t *testing.T) {
	t.Parallel()
	type withMap struct {
		Names map[string]string `json:"names"`
	}
	type withAny struct {
		Value any `json:"value"`
	}
	type inList struct {
		Values []any `json:"values"`
	}
	require.Panics(t, func() { llm.SchemaFor[withMap]() })
	require.Panics(t, func() { llm.SchemaFor[withAny]() })
	require.Panics(t, func() { llm.SchemaFor[inList]() })
	require.Panics(t, func() { llm.SchemaFor[[]string]() })
}
