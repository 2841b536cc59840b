package ollama_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func TestFailure_MapsServerErrors(t *testing.T) {
	t.Parallel()
	featured := withTools("", "look")
	featured.Schema, featured.Thinking = []byte(`{}`), 5
	begun := said("par")
	tests := map[string]struct {
		handler http.HandlerFunc
		kind    llm.Kind
		feature llm.Feature
		says    string
	}{
		"unknown model":         {answers(404, `{"error":"model 'qwen3:8b' not found"}`), llm.KindInvalid, "", "`ollama pull qwen3:8b`"},
		"unknown, older":        {answers(404, `{"error":"model \"qwen3:8b\" not found, try pulling it first"}`), llm.KindInvalid, "", "`ollama pull qwen3:8b`"},
		"wrong path":            {answers(404, "404 page not found"), llm.KindInvalid, "", "the server's root"},
		"no tools":              {answers(400, `{"error":"registry.ollama.ai/library/x:latest does not support tools"}`), llm.KindUnsupported, llm.FeatureTools, "does not support tools"},
		"no thinking":           {answers(400, `{"error":"\"x\" does not support thinking"}`), llm.KindUnsupported, llm.FeatureThinking, "does not support thinking"},
		"no schema":             {answers(400, `{"error":"invalid JSON schema in format"}`), llm.KindUnsupported, llm.FeatureSchema, "invalid JSON schema"},
		"no grammar":            {answers(500, `{"error":"failed to parse grammar"}`), llm.KindUnsupported, llm.FeatureSchema, "grammar"},
		"no grammar, streamed":  {lines(begun, `{"error":"llama runner: failed to initialize grammar"}`), llm.KindUnsupported, llm.FeatureSchema, "grammar"},
		"an embedding model":    {answers(400, `{"error":"\"x\" does not support chat"}`), llm.KindInvalid, "", "choose another one"},
		"no memory":             {answers(500, `{"error":"model requires more system memory (40.0 GiB) than is available (8.0 GiB)"}`), llm.KindInvalid, "", "choose a smaller one"},
		"overflow":              {answers(400, `{"error":"the input length exceeds the context length"}`), llm.KindOverflow, "", "exceeds the context length"},
		"overflow, newer":       {answers(400, `{"error":"the prompt is longer than the context length currently available to the model; shorten the prompt"}`), llm.KindOverflow, "", "longer than the context"},
		"overflow in a stream":  {lines(`{"error":"the input length exceeds the context length"}`), llm.KindOverflow, "", "exceeds"},
		"busy":                  {answers(503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`), llm.KindTransient, "", "server busy"},
		"a proxy's key":         {answers(401, "no: Bearer "+key), llm.KindAuth, "", "no: Bearer [key]"},
		"a runner that crashed": {lines(begun, `{"error":"an error was encountered while running the model: unexpected EOF"}`), llm.KindTransient, "", "unexpected EOF"},
		"the key in a stream":   {lines(begun, `{"error":"for `+key+`"}`), llm.KindTransient, "", "for [key]"},
		"the key as an end":     {lines(strings.Replace(end, `"stop"`, `"`+key+`"`, 1)), llm.KindInvalid, "", `"[key]"`},
		"loaded, not answered":  {lines(strings.Replace(end, `"stop"`, `"load"`, 1)), llm.KindTransient, "", "loaded the model, and did not answer"},
		"unloaded":              {lines(begun, strings.Replace(end, `"stop"`, `"unload"`, 1)), llm.KindTransient, "", "unloaded the model"},
		"length":                {lines(begun, strings.Replace(end, `"stop"`, `"length"`, 1)), llm.KindLength, "", "limit of its length"},
		"done without a reason": {lines(begun, `{"message":{"content":""},"done":true}`), llm.KindTruncated, "", "broke off"},
		"no done":               {lines(begun, begun), llm.KindTruncated, "", "broke off"},
		"nothing":               {sent(""), llm.KindTruncated, "", "broke off"},
		"text behind the end":   {lines(begun, end, begun), llm.KindInvalid, "", "followed the end"},
		"malformed":             {lines(begun, `{"message":}`, end), llm.KindInvalid, "", "malformed JSON at byte"},
		"a wrong type":          {lines(begun, `{"message":"none"}`), llm.KindInvalid, "", "invalid value"},
		"a web page":            {sent("<!DOCTYPE html>\n<p>Welcome"), llm.KindInvalid, "", "sent a web page"},
		"OpenAI's events":       {sent("data: {\"choices\":[]}\n\ndata: [DONE]\n\n"), llm.KindInvalid, "", "not as the API does"},
		"plain text":            {sent("Ollama is running"), llm.KindInvalid, "", "sent text"},
		"a line without end":    {sent(`{"message":{"content":"` + strings.Repeat("a", 17<<20)), llm.KindInvalid, "", "larger than 16 MiB"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, serve(t, test.handler)).Complete(t.Context(), featured, nil)
			failed := failure(t, err)
			require.Equal(t, test.kind, failed.Kind, "%v", err)
			require.Equal(t, test.feature, failed.Feature)
			require.Contains(t, err.Error(), test.says)
		})
	}
}

// TestFailure_MapsServerErrorsOfWholeAnswers has what is different in one document.
func TestFailure_MapsServerErrorsOfWholeAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		handler http.HandlerFunc
		kind    llm.Kind
		says    string
	}{
		"an error":          {sent(`{"error":"llama runner process has terminated"}`), llm.KindTransient, "terminated"},
		"another server's":  {sent(`{"error":"Unexpected endpoint or method."}`), llm.KindInvalid, "Unexpected endpoint"},
		"half a document":   {sent(`{"message":{"content":"a`), llm.KindTruncated, "broke off"},
		"no document":       {sent(`{"message":}`), llm.KindInvalid, "malformed JSON"},
		"not done":          {sent(said("par")), llm.KindTruncated, "broke off"},
		"a list":            {sent("[]"), llm.KindInvalid, "invalid value (array)"},
		"a web page":        {sent("<html>"), llm.KindInvalid, "sent a web page"},
		"two documents":     {lines(end, end), llm.KindInvalid, "malformed JSON"},
		"a wrong type":      {sent(`{"message":"none","done":true}`), llm.KindInvalid, "invalid value"},
		"nothing":           {sent("\n"), llm.KindTruncated, "broke off"},
		"no feature to pin": {answers(400, `{"error":"x does not support tools"}`), llm.KindInvalid, "does not support tools"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask("n")
			r.Whole = true
			_, err := client(t, serve(t, test.handler)).Complete(t.Context(), r, func(string) { t.Error("a piece was shown") })
			require.Equal(t, test.kind, failure(t, err).Kind, "%v", err)
			require.ErrorContains(t, err, test.says)
		})
	}
}

func TestFailure_ToleratesUnusualAnswers(t *testing.T) {
	t.Parallel()
	thought := `{"message":{"role":"assistant","content":"","thinking":"hm {"},"done":false}`
	used := llm.Usage{Input: 26, Output: 7}
	tests := map[string]struct {
		handler http.HandlerFunc
		text    string
		usage   llm.Usage
	}{
		"CRLF":                 {sent(said("é") + "\r\n\r\n" + end + "\r\n"), "é", used},
		"no last newline":      {sent(said("a") + "\n" + end), "a", used},
		"double end":           {lines(said("a"), end, end), "a", used},
		"what is thought":      {lines(thought, thought, said("a"), end), "a", used},
		"no text":              {lines(end), "", used},
		"text in the end":      {lines(said("a"), strings.Replace(end, `"content":""`, `"content":"b"`, 1)), "ab", used},
		"error behind the end": {lines(said("a"), end, `{"error":"late"}`), "a", used},
		"no usage":             {lines(said("a"), `{"done":true,"done_reason":"stop"}`), "a", llm.Usage{}},
		"the word error":       {lines(said(`{"error":"x"}`), end), `{"error":"x"}`, used},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			response, err := client(t, serve(t, test.handler)).Complete(t.Context(), ask("n"), func(piece string) {
				require.NotEmpty(t, piece)
				shown.WriteString(piece)
			})
			require.NoError(t, err)
			require.Equal(t, test.text, response.Text)
			require.Equal(t, test.text, shown.String())
			require.Equal(t, llm.FinishStop, response.Finish)
			require.Equal(t, test.usage, response.Usage)
			require.Equal(t, "qwen3:8b", response.Model)
		})
	}
}

func TestFailure_Unreachable(t *testing.T) {
	t.Parallel()
	for base, says := range map[string]string{
		"http://127.0.0.1:1":                   "nothing listens at 127.0.0.1:1",
		"127.0.0.1":                            "could not be sent",
		"http://me:" + key + "@127.0.0.1:1/v1": "nothing listens at 127.0.0.1:1",
		"http://[" + key:                       "could not be sent",
	} {
		_, err := client(t, base).Complete(t.Context(), ask("n"), nil)
		failure(t, err)
		require.ErrorContains(t, err, says)
	}
}

func TestFailure_RedirectsCarryNothingAway(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+"/api/chat", http.StatusTemporaryRedirect)
	})
	_, err := client(t, base).Complete(t.Context(), ask("n"), nil)
	require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
	require.Zero(t, followed.Load(), "the prompt followed a redirect")
}
