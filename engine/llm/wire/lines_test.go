package wire

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestLines_AreReadInAllForms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, want string
		fails      string
	}{
		"as Ollama sends them":     {"{\"a\":1}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":2}\n", ""},
		"CRLF":                     {"{\"a\":1}\r\n{\"a\":2}\r\n", "{\"a\":1}\n{\"a\":2}\n", ""},
		"blank lines":              {"\n\n{\"a\":1}\n \r\n\n{\"a\":2}\n\n", "{\"a\":1}\n{\"a\":2}\n", ""},
		"byte order mark":          {"\uFEFF{\"a\":1}\n", "{\"a\":1}\n", ""},
		"split character":          {"{\"a\":\"é\"}\n", "{\"a\":\"é\"}\n", ""},
		"the last newline lacks":   {"{\"a\":1}\n{\"a\":2}", "{\"a\":1}\n{\"a\":2}\n", ""},
		"cut inside a document":    {"{\"a\":1}\n{\"a\":", "{\"a\":1}\n", ""},
		"cut inside the first one": {"{\"a\":", "", ""},
		"nothing":                  {"", "", ""},
		"only blanks":              {" \n\r\n", "", ""},
		"malformed is passed on":   {"{\"a\":1}\n{\"a\":}\n{\"a\":2}\n", "{\"a\":1}\n{\"a\":}\n{\"a\":2}\n", ""},
		"error at first":           {"{\"error\":\"no\"}\n", "", `objection: true {"error":"no"}`},
		"error in the middle":      {"{\"a\":1}\n{ \"error\" : \"no\" }\n{\"a\":2}\n", "{\"a\":1}\n", `objection: true { "error" : "no" }`},
		"error without newline":    {"{\"a\":1}\n{\"error\":\"no\"}", "{\"a\":1}\n", `objection: true {"error":"no"}`},
		"half an error":            {"{\"a\":1}\n{\"error\":\"no", "{\"a\":1}\n", ""},
		"the word error is none":   {"{\"a\":\"\\\"error\\\"\",\"error\":null}\n", "{\"a\":\"\\\"error\\\"\",\"error\":null}\n", ""},
		"web page":                 {"<html>\n<p>none\n", "", "objection: false <html>\n<p>none"},
		"web page in one line":     {"<html>", "", "objection: false <html>"},
		"document of many lines":   {"{\n \"error\": 1\n}\n", "", "objection: false {\n\"error\": 1\n}"},
		"event stream":             {"data: {\"a\":1}\n\ndata: [DONE]\n\n", "", "objection: false data: {\"a\":1}\ndata: [DONE]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, body := range map[string]io.Reader{
				"at once": strings.NewReader(test.body), "byte by byte": iotest.OneByteReader(strings.NewReader(test.body)),
			} {
				got, err := io.ReadAll(newLines(io.NopCloser(body), object))
				require.Equal(t, test.want, string(got), way)
				if test.fails == "" {
					require.NoError(t, err, way)
					continue
				}
				require.EqualError(t, err, test.fails, way)
			}
		})
	}
}

func TestLines_PassALossOn(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for _, rest := range []string{"", "{\"a\"", "<"} {
		body := io.MultiReader(strings.NewReader("{\"a\":1}\n"+rest), iotest.ErrReader(lost))
		got, err := io.ReadAll(newLines(io.NopCloser(body), object))
		require.True(t, strings.HasPrefix(string(got), "{\"a\":1}\n"))
		require.ErrorIs(t, err, lost)
	}
}

func TestLines_AreBounded(t *testing.T) {
	t.Parallel()
	_, err := io.ReadAll(newLines(io.NopCloser(strings.NewReader("{\"a\":\""+strings.Repeat("a", maxEvent))), object))
	require.ErrorIs(t, err, errLongEvent)
}

// FuzzLines_Any checks that the reading does not depend on how the bytes arrive, that a cut takes nothing away but the end,
// and that what comes out is read unchanged when it is read again.
func FuzzLines_Any(f *testing.F) {
	for _, seed := range []string{
		"{\"a\":1}\n{\"b\":2}\n", "{\"a\":1}\r\n\r\n{\"error\":1}\r\n", "<html>\n", "{\"a\":\n1}\n", "\uFEFF{}\n{", "{}",
	} {
		f.Add(seed, 5)
	}
	f.Fuzz(func(t *testing.T, body string, cut int) {
		once, err := io.ReadAll(newLines(io.NopCloser(strings.NewReader(body)), object))
		slow, slowErr := io.ReadAll(newLines(io.NopCloser(iotest.OneByteReader(strings.NewReader(body))), object))
		require.Equal(t, string(once), string(slow))
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(slowErr))
		if err == nil {
			again, err := io.ReadAll(newLines(io.NopCloser(strings.NewReader(string(once))), object))
			require.NoError(t, err)
			require.Equal(t, string(once), string(again))
		}
		if cut < 0 || cut > len(body) || hidesDocument(body, cut) {
			return
		}
		short, _ := io.ReadAll(newLines(io.NopCloser(strings.NewReader(body[:cut])), object))
		require.True(t, strings.HasPrefix(string(once), string(short)), "%q of %q", short, once)
	})
}

// hidesDocument reports whether the cut leaves a whole document with more text behind it on its line: then the line is
// no document.
func hidesDocument(body string, cut int) bool {
	line := strings.TrimSpace(strings.TrimPrefix(body[strings.LastIndex(body[:cut], "\n")+1:cut], "\uFEFF"))
	rest, _, _ := strings.Cut(body[cut:], "\n")
	return line != "" && isObject([]byte(line)) && strings.TrimSpace(rest) != ""
}
