package engine

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/mode"
)

// Tools that are to do the work are judged before the run begins: by name, by their schemas, and by what they could come to.
func TestDirect_ToolsThatDoTheWorkAreJudgedFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request Request
		tool    string
		args    string
		refusal string // empty where the run may begin
	}{
		"it can be used":        {Request{}, "delete_file", `{"path": "a"}`, ""},
		"no such tool":          {Request{}, "format_disk", `{}`, `direct[0]: "format_disk" is no tool that works without a model: choose one of read_file, write_file`},
		"a tool for models":     {Request{}, "ask_user", `{"question": "?"}`, `"ask_user" is no tool`},
		"a tool of the web":     {Request{}, "web.fetch", `{"url": "https://x.example"}`, `"web.fetch" is no tool`},
		"something is missing":  {Request{}, "delete_file", `{}`, `direct[0]: the arguments of delete_file cannot be used: it does not fit its schema`},
		"of another type":       {Request{}, "delete_file", `{"path": 7}`, `cannot be used`},
		"something is too much": {Request{}, "delete_file", `{"path": "a", "force": true}`, `delete_file takes no argument "force". It takes (path)`},
		"no object":             {Request{}, "delete_file", `["a"]`, "the arguments of delete_file are not a JSON object"},
		"nothing":               {Request{}, "delete_file", ``, "the arguments of delete_file are not a JSON object"},
		"nothing is changed":    {Request{}, "read_file", `{"path": "a"}`, "none of the tools changes a file"},
		"a mode that answers":   {Request{Mode: "plan"}, "delete_file", `{"path": "a"}`, "a run that only answers accepts no tools"},
		"a recipe that answers": {Request{Recipe: "ask"}, "delete_file", `{"path": "a"}`, "a run that only answers accepts no tools"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.request.Direct = []Action{{Tool: c.tool, Args: json.RawMessage(c.args)}}
			r, err := c.request.settled(Settings{})
			if c.refusal != "" {
				require.ErrorContains(t, err, c.refusal)
				return
			}
			require.NoError(t, err)
			require.Equal(t, mode.Bounds{Attempts: 1, Rounds: mode.Never}, r.Bounds)
			require.Equal(t, "Use delete_file as given.", r.Task)
			require.Empty(t, paramsOf(r, Settings{}).Way().Profile, "no model is asked for a change")
			require.Equal(t, r.Direct, paramsOf(r, Settings{}).Pipeline().Direct)
		})
	}
}
