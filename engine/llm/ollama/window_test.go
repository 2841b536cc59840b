package ollama_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/ollama"
	"forge/engine/llm/wire"
)

// uncounted is the end of an answer that does not say how large the prompt was.
const uncounted = `{"done":true,"done_reason":"stop"}`

// sized is a request with a prompt of so many bytes.
func sized(size, maxTokens int) llm.Request {
	r := ask("n")
	r.Messages[0].Text = strings.Repeat("word", size/4)
	r.MaxTokens = maxTokens
	return r
}

// TestWindow_TheContextGrowsInStepsAndNeverShrinks asks one client, so that each size is the largest until then: another one
// would make the server load the model again.
func TestWindow_TheContextGrowsInStepsAndNeverShrinks(t *testing.T) {
	t.Parallel()
	base, calls := recorded(t, uncounted)
	c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Model: "qwen3:8b"}, Window: window})
	defer c.Close()
	steps := []struct {
		bytes, answer int
		want          string
	}{
		{4, 0, "8192"},
		{18_000, 0, "8192"},
		{18_500, 0, "16384"}, // a third of the bytes, and 2048 for the answer
		{4, 0, "16384"},
		{18_000, 12_000, "32768"},
		{90_000, 1000, "32768"},
		{120_000, 1000, "40960"}, // all that the model takes
		{4, math.MaxInt, "40960"},
		{4, 0, "40960"},
	}
	for i, step := range steps {
		_, err := c.Complete(t.Context(), sized(step.bytes, step.answer), nil)
		require.NoError(t, err)
		got := calls()
		require.Len(t, got, 1)
		require.Equal(t, step.want, got[0].option("num_ctx"), "step %d", i)
	}
}

func TestWindow_ASmallModelGetsNoMoreThanItTakes(t *testing.T) {
	t.Parallel()
	got := capture(t, ollama.Options{Window: 2048}, ask("n"))
	require.Equal(t, "2048", got.option("num_ctx"))
}

func TestWindow_TheContextGrowsForAllAtOnce(t *testing.T) {
	t.Parallel()
	base, calls := recorded(t, uncounted)
	c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Model: "qwen3:8b"}, Window: window})
	defer c.Close()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			_, err := c.Complete(t.Context(), sized(i*6000, 0), nil)
			require.NoError(t, err)
		})
	}
	all.Wait()
	for _, got := range calls() {
		size, err := strconv.Atoi(got.option("num_ctx"))
		require.NoError(t, err)
		require.Contains(t, []int{8192, 16384, 32768, window}, size)
	}
}

func TestWindow_OversizedRequestIsNotSent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		window, bytes, answer int
		fits                  bool
	}{
		"small":                                {8192, 4000, 0, true},
		"a prompt that fills all":              {8192, 8192 * 4, 10, false},
		"a prompt as large as packers make it": {8192, 4 * 6000, 2000, true},
		"no room for the answer":               {8192, 4 * 6200, 2048, false},
		"an answer that never fits":            {8192, 4 * 6000, 1 << 20, true}, // it ends by length, if it is so long
		"a large window":                       {131072, 4 * 100_000, 4096, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, calls := recorded(t, uncounted)
			c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Key: key, Model: "qwen3:8b"}, Window: test.window})
			defer c.Close()
			_, err := c.Complete(t.Context(), sized(test.bytes, test.answer), nil)
			if test.fits {
				require.NoError(t, err)
				require.Len(t, calls(), 1)
				return
			}
			require.Equal(t, llm.KindOverflow, failure(t, err).Kind)
			require.ErrorContains(t, err, fmt.Sprintf("the model takes %d together with its answer", test.window))
			require.Empty(t, calls(), "a prompt that cannot fit was sent")
		})
	}
}

// TestWindow_APromptThatTheServerCutIsNoAnswer plays servers that do not know that they are not to cut.
func TestWindow_APromptThatTheServerCutIsNoAnswer(t *testing.T) {
	t.Parallel()
	counting := func(prompt, answer int) string {
		return fmt.Sprintf(`{"message":{"content":"sure"},"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":%d}`, prompt, answer)
	}
	tests := map[string]struct {
		window, bytes int
		counted       string
		says          string // empty: an answer
	}{
		"as expected":                         {8192, 16_000, counting(4000, 100), ""},
		"dense text":                          {8192, 16_000, counting(7900, 100), ""},
		"not counted":                         {8192, 28_000, counting(0, 0), ""},
		"filled to the brim":                  {8192, 16_000, counting(8192, 100), "cut its beginning off"},
		"nearly":                              {8192, 16_000, counting(8180, 5), "cut its beginning off"},
		"shifted while it answered":           {8192, 16_000, counting(8000, 500), "forgot the beginning"},
		"filled to the last token":            {8192, 16_000, counting(8000, 192), ""},
		"messages left out":                   {8192, 26_000, counting(900, 100), "left messages out"},
		"the rest was still known":            {40960, 26_000, counting(900, 100), ""}, // it had all the room that it could need
		"cut to half, as the oldest ones did": {8192, 26_000, counting(1500, 100), "left messages out"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, whole := range []bool{false, true} {
				base, _ := recorded(t, test.counted)
				c := ollama.New(ollama.Options{Options: wire.Options{BaseURL: base, Key: key, Model: "qwen3:8b"}, Window: test.window})
				defer c.Close()
				r := sized(test.bytes, 1000)
				r.Whole = whole
				_, err := c.Complete(t.Context(), r, nil)
				if test.says == "" {
					require.NoError(t, err)
					continue
				}
				require.Equal(t, llm.KindOverflow, failure(t, err).Kind)
				require.ErrorContains(t, err, test.says)
			}
		})
	}
}

// TestWindow_AContextThatWasTooSmallIsMadeLarger has text of which a token has fewer bytes than were expected: the failure
// passes, because the next call asks for more, until the model has no more.
func TestWindow_AContextThatWasTooSmallIsMadeLarger(t *testing.T) {
	t.Parallel()
	refuses := answers(400, `{"error":"the input length exceeds the context length"}`)
	fills := func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Options struct {
				Size int `json:"num_ctx"`
			} `json:"options"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		_, _ = fmt.Fprintf(w, `{"message":{"content":"sure"},"done":true,"done_reason":"stop","prompt_eval_count":%d}`, asked.Options.Size)
	}
	for name, handler := range map[string]http.HandlerFunc{"the server refuses": refuses, "the server cuts": fills} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := client(t, serve(t, handler)) // the model takes 40,960
			for _, next := range []int{16384, 32768} {
				_, err := c.Complete(t.Context(), sized(18_000, 0), nil)
				require.Equal(t, llm.KindTransient, failure(t, err).Kind)
				require.ErrorContains(t, err, fmt.Sprintf("the next call asks for a context of %d", next))
			}
			for range 2 { // there is room for a token in each byte: it is not that
				_, err := c.Complete(t.Context(), sized(18_000, 0), nil)
				require.Equal(t, llm.KindOverflow, failure(t, err).Kind)
			}
			_, err := c.Complete(t.Context(), sized(60_000, 0), nil)
			require.ErrorContains(t, err, "the next call asks for a context of 40960")
			_, err = c.Complete(t.Context(), sized(60_000, 0), nil)
			require.Equal(t, llm.KindOverflow, failure(t, err).Kind)
		})
	}
}

func TestWindow_AsksTheServerOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		show  string
		code  int
		asked int // of three calls
		size  string
	}{
		"it says":             {`{"model_info":{"general.architecture":"llama","llama.context_length":4096}}`, 200, 1, "4096"},
		"it does not say":     {`{"model_info":{}}`, 200, 1, "8192"},
		"an odd length":       {`{"model_info":{"general.architecture":"llama","llama.context_length":-1}}`, 200, 1, "8192"},
		"it has no such API":  {`404 page not found`, 404, 1, "8192"},
		"a web page":          {`<html>`, 200, 1, "8192"},
		"it is overloaded":    {`{"error":"busy"}`, 503, 3, "8192"},
		"it is not there yet": {`{"error":"model 'qwen3:8b' not found"}`, 404, 3, "8192"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, calls := showing(t, test.code, test.show)
			c := client(t, base)
			for range 3 {
				_, err := c.Complete(t.Context(), ask("n"), nil)
				require.NoError(t, err)
			}
			asked := 0
			for _, got := range calls() {
				if got.path == "/api/show" {
					require.JSONEq(t, `"qwen3:8b"`, string(got.body["model"]))
					asked++
					continue
				}
				require.Equal(t, test.size, got.option("num_ctx"))
			}
			require.Equal(t, test.asked, asked)
			window := 0
			if test.size == "4096" {
				window = 4096
			}
			require.Equal(t, window, c.Window(t.Context()))
		})
	}
}
