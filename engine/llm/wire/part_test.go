package wire

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/internal/lazyregexp"
)

func refusing() *Server {
	return New(Options{BaseURL: "http://h/v1", Model: "m"}, Dialect{Endpoint: "chat", Parts: []Part{
		{Name: "limit", Words: lazyregexp.New(`\bmax_tokens\b`), Unknown: true},
		{Name: "heat", Words: lazyregexp.New(`\bheat\b`), Feature: llm.FeatureTemperature},
		{Name: "tools", Words: lazyregexp.New(`\btools?\b`), Feature: llm.FeatureTools, Unknown: true},
	}})
}

func TestPart_RejectsUnsupportedParts(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status  int
		body    string
		kind    llm.Kind
		feature llm.Feature
		part    string // of a RefusedError
	}{
		"by its param":                   {400, `{"error":{"message":"no","param":"heat"}}`, llm.KindUnsupported, llm.FeatureTemperature, ""},
		"a value of it":                  {400, `{"error":{"message":"heat must be 1"}}`, llm.KindUnsupported, llm.FeatureTemperature, ""},
		"in FastAPI's words":             {422, `{"detail":[{"loc":["body","heat"],"msg":"extra fields not permitted"}]}`, llm.KindUnsupported, llm.FeatureTemperature, ""},
		"in MiniMax's words":             {200, `{"base_resp":{"status_code":2013,"status_msg":"invalid params, heat must be in (0, 1]"}}`, llm.KindUnsupported, llm.FeatureTemperature, ""},
		"param before message":           {400, `{"error":{"message":"tools with heat are not supported","param":"tools[0]"}}`, llm.KindUnsupported, llm.FeatureTools, ""},
		"the first of two":               {400, `{"error":{"message":"tools with heat are not supported"}}`, llm.KindUnsupported, llm.FeatureTemperature, ""},
		"unknown to a local server":      {500, `{"error":{"message":"tools param requires --jinja flag"}}`, llm.KindUnsupported, llm.FeatureTools, ""},
		"unknown to a gateway's servers": {404, `{"error":{"message":"No endpoints found that support tool use","code":404}}`, llm.KindUnsupported, llm.FeatureTools, ""},
		"of the wire":                    {400, `{"error":{"message":"'max_tokens' is not supported with this model"}}`, llm.KindInvalid, "", "limit"},
		"a code for unknown":             {400, `{"error":{"message":"max_tokens","code":"unsupported_parameter"}}`, llm.KindInvalid, "", "limit"},

		"a value with a limit": {400, `{"error":{"message":"max_tokens must be in [1, 8192]"}}`, llm.KindInvalid, "", "limit"},

		"a value of the caller's":      {400, `{"error":{"message":"max_tokens must be positive"}}`, llm.KindInvalid, "", ""},
		"a tool of the caller's":       {400, `{"error":{"message":"tools[0].name is missing"}}`, llm.KindInvalid, "", ""},
		"not cleanly, with a limit":    {500, `{"error":{"message":"max_tokens must be in [1, 8192]"}}`, llm.KindTransient, "", ""},
		"not cleanly, of the wire":     {500, `{"error":{"message":"max_tokens is not supported"}}`, llm.KindTransient, "", ""},
		"a fault that names it":        {500, `{"error":{"message":"heat: out of memory"}}`, llm.KindTransient, "", ""},
		"an overflow that names it":    {400, `{"error":{"message":"maximum context length: max_tokens is not supported"}}`, llm.KindOverflow, "", ""},
		"a key that may not use it":    {403, `{"error":{"message":"tools are not supported for you"}}`, llm.KindAuth, "", ""},
		"too many requests that do so": {429, `{"error":{"message":"heat is not supported so often"}}`, llm.KindRateLimited, "", ""},
		"another word":                 {400, `{"error":{"message":"wheat is not supported"}}`, llm.KindInvalid, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := refusing()
			err := s.Judge(test.status, []byte(test.body))
			if test.status == 200 {
				err = s.stray([]byte(test.body), false)
			}
			var failed *llm.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, test.kind, failed.Kind, "%v", err)
			require.Equal(t, test.feature, failed.Feature)
			var refused *RefusedError
			if errors.As(err, &refused) {
				require.Equal(t, test.part, refused.Part)
				return
			}
			require.Empty(t, test.part)
		})
	}
}
