package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestDocument_IsReadWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body  string
		fails string
	}{
		"an object":               {`{"a":1}`, ""},
		"a list":                  {`[1]`, ""},
		"blanks around it":        {"\r\n {\"a\":1}\n", ""},
		"byte order mark":         {"\uFEFF{\"a\":1}", ""},
		"no error":                {`{"error":null,"base_resp":{"status_code":0}}`, ""},
		"the word error":          {`{"a":"\"error\""}`, ""},
		"nothing":                 {"", ErrUnfinished.Error()},
		"blanks":                  {" \n", ErrUnfinished.Error()},
		"cut":                     {`{"a":`, ErrUnfinished.Error()},
		"cut in a word":           {`{"a":tru`, ErrUnfinished.Error()},
		"malformed":               {`{"a":}`, "read the answer: invalid character '}' looking for beginning of value"},
		"two documents":           {`{"a":1}{"b":2}`, "read the answer: invalid character '{' after top-level value"},
		"a web page":              {"<html>", "objection: false <html>"},
		"a cut web page":          {"<", "objection: false <"},
		"words":                   {"It works!", "objection: false It works!"},
		"an event stream":         {"data: {}\n\n", "objection: false data: {}"},
		"OpenAI's error":          {`{"error":{"message":"no"}}`, `objection: false {"error":{"message":"no"}}`},
		"vLLM's error":            {`{"object":"error","message":"no"}`, `objection: false {"object":"error","message":"no"}`},
		"MiniMax's error":         {`{"base_resp":{"status_code":1004}}`, `objection: false {"base_resp":{"status_code":1004}}`},
		"an error that is cut":    {`{"error":{"mess`, ErrUnfinished.Error()},
		"a document of 5 MB":      {`{"a":"` + strings.Repeat("x", 5<<20) + `"}`, ""},
		"a document without end":  {`{"a":"` + strings.Repeat("x", maxEvent), errLongEvent.Error()},
		"a document beyond limit": {`{"a":"` + strings.Repeat("x", maxEvent) + `"}`, errLongEvent.Error()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := io.ReadAll(newDocument(io.NopCloser(strings.NewReader(test.body)), object))
			if test.fails != "" {
				require.EqualError(t, err, test.fails)
				require.Empty(t, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, strings.TrimSpace(strings.TrimPrefix(test.body, "\uFEFF")), string(got))
		})
	}
}

func TestDocument_ALossInsideADocument(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for body, whole := range map[string]bool{`{"a":1`: false, `{"a":1}`: true, "": false, "<html>": false} {
		got, err := io.ReadAll(newDocument(io.NopCloser(io.MultiReader(strings.NewReader(body), iotest.ErrReader(lost))), object))
		if whole {
			require.NoError(t, err)
			require.Equal(t, body, string(got))
			continue
		}
		require.ErrorIs(t, err, lost, body)
	}
}

// FuzzDocument_Any checks that the reading does not depend on how the bytes arrive, and that no part of a document is
// taken for one.
func FuzzDocument_Any(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `[{"error":1}]`, `{"base_resp":{"status_code":7}}`, "<html>", "\uFEFF{}", "{}{}", `{"a":"é"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		once, err := io.ReadAll(newDocument(io.NopCloser(strings.NewReader(body)), object))
		slow, slowErr := io.ReadAll(newDocument(io.NopCloser(iotest.OneByteReader(strings.NewReader(body))), object))
		require.Equal(t, string(once), string(slow))
		require.Equal(t, err == nil, slowErr == nil)
		if err != nil {
			return
		}
		part := strings.TrimSpace(string(once))
		_, err = io.ReadAll(newDocument(io.NopCloser(strings.NewReader(part[:len(part)-1])), object))
		require.Error(t, err, "%q without its last byte", part)
	})
}
