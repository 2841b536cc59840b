package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/openai"
	"forge/engine/llm/wire"
)

// picky is a server that refuses requests with certain fields, in certain words.
type picky struct {
	status int
	says   map[string]string // by field
	answer string

	mu    sync.Mutex
	asked []map[string]json.RawMessage // guarded by mu
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]json.RawMessage
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &body)
	p.mu.Lock()
	p.asked = append(p.asked, body)
	p.mu.Unlock()
	for field, words := range p.says {
		if _, has := body[field]; has {
			w.WriteHeader(p.status)
			_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": words, "type": "invalid_request_error"}})
			return
		}
	}
	sent(p.answer)(w, r)
}

// asks counts the requests.
func (p *picky) asks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

func (p *picky) last() map[string]json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[len(p.asked)-1]
}

// TestHabits_LearnsUnsupportedFields asks servers that do not take a field of the wire: one call more, once.
func TestHabits_LearnsUnsupportedFields(t *testing.T) {
	t.Parallel()
	const calling = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"read_file\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
	tests := map[string]struct {
		model  string
		server *picky
		gone   []string
		put    map[string]string
		calls  int // of the first question; the next takes one
	}{
		"stream_options of an old Azure": {"m", &picky{status: 400, answer: calling, says: map[string]string{
			"stream_options": "Unrecognized request argument supplied: stream_options"}}, []string{"stream_options"}, nil, 2},
		"stream_options of Mistral": {"m", &picky{status: 422, answer: calling, says: map[string]string{
			"stream_options": `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`}}, []string{"stream_options"}, nil, 2},
		"max_tokens of a reasoning model": {"new-model", &picky{status: 400, answer: calling, says: map[string]string{
			"max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}},
			[]string{"max_tokens"}, map[string]string{"max_completion_tokens": "99"}, 2},
		"max_completion_tokens of a local server": {"gpt-5-at-home", &picky{status: 400, answer: calling, says: map[string]string{
			"max_completion_tokens": "unknown field max_completion_tokens"}}, []string{"max_completion_tokens"}, map[string]string{"max_tokens": "99"}, 2},
		"reasoning_effort of a local server": {"gpt-5-at-home", &picky{status: 400, answer: calling, says: map[string]string{
			"reasoning_effort": "Unrecognized request argument supplied: reasoning_effort"}}, []string{"reasoning_effort"}, map[string]string{"max_completion_tokens": "99"}, 2},
		"reasoning_effort beside tools": {"gpt-5", &picky{status: 400, answer: calling, says: map[string]string{
			"reasoning_effort": "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions."}}, []string{"reasoning_effort"}, nil, 2},
		"reasoning_effort that is too low": {"gpt-5-pro", &picky{status: 400, answer: calling, says: map[string]string{
			"reasoning_effort": "Unsupported value: 'reasoning_effort' does not support 'low' with this model. Supported values are: 'high'."}}, []string{"reasoning_effort"}, nil, 2},
		"tool_choice of LM Studio": {"m", &picky{status: 400, answer: calling, says: map[string]string{
			"tool_choice": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}}, []string{"tool_choice"}, nil, 2},
		"all of them": {"m", &picky{status: 400, answer: calling, says: map[string]string{
			"tool_choice": "tool_choice is not supported", "stream_options": "stream_options is not supported", "max_tokens": "max_tokens is not supported"}},
			[]string{"tool_choice", "stream_options", "max_tokens"}, map[string]string{"max_completion_tokens": "99"}, 4},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := openai.New(wire.Options{BaseURL: handled(t, test.server.ServeHTTP), Key: key, Model: test.model})
			defer c.Close()
			r := offering("read_file")
			r.MaxTokens = 99
			for range 2 {
				response, err := c.Complete(t.Context(), r, nil)
				require.NoError(t, err)
				require.Len(t, response.Calls, 1)
			}
			require.Equal(t, test.calls+1, test.server.asks(), "what was learnt stays")
			for _, field := range test.gone {
				require.NotContains(t, test.server.last(), field)
			}
			for field, value := range test.put {
				require.Equal(t, value, string(test.server.last()[field]))
			}
		})
	}
}

// TestHabits_ManyLearnTheSame asks side by side: each may be refused once, and none fails.
func TestHabits_ManyLearnTheSame(t *testing.T) {
	t.Parallel()
	server := &picky{status: 400, answer: whole, says: map[string]string{"stream_options": "stream_options is not supported"}}
	c := client(t, handled(t, server.ServeHTTP))
	var group sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		group.Go(func() { _, errs[i] = c.Complete(t.Context(), ask("n"), nil) })
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.LessOrEqual(t, server.asks(), 2*len(errs))
}

// TestHabits_RetriesOnlyACleanRefusal are the negative twins: what is no clean refusal of a part that was sent.
func TestHabits_RetriesOnlyACleanRefusal(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		says   string
		kind   llm.Kind
		asks   int
	}{
		"not clean":                  {500, "stream_options is not supported", llm.KindTransient, 1},
		"a value without a limit":    {400, "max_tokens is too large: 99", llm.KindInvalid, 1},
		"a value that is no larger":  {400, "max_tokens must be in [1, 8192]", llm.KindInvalid, 1},
		"overloaded":                 {503, "max_tokens is not supported today", llm.KindTransient, 1},
		"refused all the same":       {400, "stream_options is not supported", llm.KindInvalid, 2},
		"an effort that is not sent": {400, "reasoning_effort is not supported", llm.KindInvalid, 1},
		"refused by both names":      {400, "max_tokens and max_completion_tokens are not supported", llm.KindInvalid, 2},
		"another part":               {400, "messages must alternate", llm.KindInvalid, 1},
		"no right to it":             {403, "stream_options is not supported for you", llm.KindAuth, 1},
		"the part that is a feature": {400, "response_format is not supported", llm.KindUnsupported, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &picky{status: test.status, says: map[string]string{"messages": test.says}} // in every request
			r := ask("n")
			r.MaxTokens = 99
			_, err := client(t, handled(t, server.ServeHTTP)).Complete(t.Context(), r, nil)
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
			require.Equal(t, test.asks, server.asks())
		})
	}
}

// TestHabits_LearnsTheLargestLimit are messages of servers whose models give shorter answers than a request permits: one call
// more, once.
func TestHabits_LearnsTheLargestLimit(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"DeepSeek":      "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
		"DashScope":     "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1,8192]",
		"OpenAI":        "max_tokens is too large: 16384. This model supports at most 8192 completion tokens, whereas you provided 16384.",
		"Groq":          "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
		"Gemini":        "Unable to submit request because it has a maxOutputTokens value of 16384 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
		"with a comma":  "max_tokens may be 8,192 at most (request 4c78-2706, model m-4096)",
		"not a feature": "max_tokens of 16384 is not allowed, only 8192",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var limits []int
			base := handled(t, func(w http.ResponseWriter, r *http.Request) {
				var body struct {
					Usual int `json:"max_tokens"`
					Other int `json:"max_completion_tokens"`
				}
				_ = json.NewDecoder(r.Body).Decode(&body)
				limits = append(limits, max(body.Usual, body.Other))
				if limits[len(limits)-1] > 8192 {
					w.WriteHeader(http.StatusBadRequest)
					_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": says, "type": "invalid_request_error"}})
					return
				}
				sent(whole)(w, r)
			})
			c := client(t, base)
			for _, most := range []int{16384, 16384, 512} {
				r := ask("n")
				r.MaxTokens = most
				_, err := c.Complete(t.Context(), r, nil)
				require.NoError(t, err)
			}
			require.Equal(t, []int{8192, 8192, 512}, limits[len(limits)-3:])
			require.Equal(t, 16384, limits[0])
			require.LessOrEqual(t, len(limits), 5)
		})
	}
}

// TestHabits_FeaturesThatAreNotTaken are messages of real servers.
func TestHabits_FeaturesThatAreNotTaken(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status  int
		body    string
		feature llm.Feature
	}{
		"OpenAI's old models, a schema": {400, `{"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.","type":"invalid_request_error","param":null,"code":null}}`, llm.FeatureSchema},
		"OpenAI, another schema":        {400, `{"error":{"message":"Invalid schema for response_format 'x': 'additionalProperties' is required","type":"invalid_request_error","param":"response_format"}}`, llm.FeatureSchema},
		"DeepSeek, a schema":            {400, `{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}`, llm.FeatureSchema},
		"Groq, a schema":                {400, `{"error":{"message":"This model does not support response format json_schema","type":"invalid_request_error","param":"response_format"}}`, llm.FeatureSchema},
		"OpenAI, the temperature":       {400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, llm.FeatureTemperature},
		"MiniMax, the temperature":      {200, `{"choices":null,"base_resp":{"status_code":2013,"status_msg":"invalid params, temperature must be in (0, 1]"}}`, llm.FeatureTemperature},
		"Ollama, tools":                 {400, `{"error":{"message":"registry.ollama.ai/library/gemma:2b does not support tools","type":"api_error"}}`, llm.FeatureTools},
		"vLLM, tools":                   {400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","code":400}`, llm.FeatureTools},
		"llama.cpp, tools":              {500, `{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}`, llm.FeatureTools},
		"OpenRouter, tools":             {404, `{"error":{"message":"No endpoints found that support tool use.","code":404}}`, llm.FeatureTools},
	}
	for name, test := range tests {
		for _, whole := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := offering("")
				r.Whole = whole
				_, err := client(t, handled(t, answers(test.status, test.body))).Complete(t.Context(), r, nil)
				failed := failure(t, err)
				require.Equal(t, llm.KindUnsupported, failed.Kind, "%v", err)
				require.Equal(t, test.feature, failed.Feature, "%v", err)
				require.ErrorContains(t, err, "does not take")
			})
		}
	}
}

// TestHabits_AFeatureIsLeftOut puts the adapter under llm.Degrade, as it runs: the answer comes, with one call more.
func TestHabits_AFeatureIsLeftOut(t *testing.T) {
	t.Parallel()
	server := &picky{status: 400, answer: whole, says: map[string]string{
		"response_format": "response_format is not supported", "temperature": "temperature is not supported",
	}}
	var learned llm.Learned
	model := learned.Degrade("p", "m", client(t, handled(t, server.ServeHTTP)))
	r := ask("n")
	r.Schema = json.RawMessage(`{"type":"object"}`)
	for range 2 {
		_, err := model.Complete(t.Context(), r, nil)
		require.NoError(t, err)
	}
	require.Equal(t, 4, server.asks())
	require.NotContains(t, server.last(), "response_format")
	require.NotContains(t, server.last(), "temperature")
}
