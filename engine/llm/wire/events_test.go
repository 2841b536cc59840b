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

var errObjection = errors.New("objection")

// object objects to everything that is not blank, and says which kind of payload it was.
func object(payload []byte, inStream bool) error {
	if len(strings.TrimSpace(string(payload))) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %t %s", errObjection, inStream, strings.TrimSpace(string(payload)))
}

func TestEvents_AreReadInAllForms(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body, want string
		fails      string
	}{
		"as OpenAI sends it":     {"data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: {\"a\":1}\ndata: [DONE]\n", ""},
		"CRLF":                   {"data: {\"a\":1}\r\n\r\ndata: [DONE]\r\n\r\n", "data: {\"a\":1}\ndata: [DONE]\n", ""},
		"no space behind data":   {"data:{\"a\":1}\n\n", "data: {\"a\":1}\n", ""},
		"no blank lines":         {"data: {\"a\":1}\ndata: {\"a\":2}\n", "data: {\"a\":1}\ndata: {\"a\":2}\n", ""},
		"comments and fields":    {": ping\n\nevent: chunk\nid: 7\nretry: 5\ndata: {\"a\":1}\n: ping\n\n", "data: {\"a\":1}\n", ""},
		"several data lines":     {"data: {\"a\":\ndata: 1}\n\n", "data: {\"a\": 1}\n", ""},
		"byte order mark":        {"\uFEFFdata: {\"a\":1}\n\n", "data: {\"a\":1}\n", ""},
		"split character":        {"data: {\"a\":\"é\"}\n\n", "data: {\"a\":\"é\"}\n", ""},
		"empty data":             {"data:\n\ndata: {\"a\":1}\n\n", "data: {\"a\":1}\n", ""},
		"malformed is passed on": {"data: {\"a\":\n\ndata: [DONE]\n\n", "data: {\"a\":\ndata: [DONE]\n", ""},
		"cut inside an event":    {"data: {\"a\":1}\n\ndata: {\"b\"", "data: {\"a\":1}\n", ""},
		"cut before its newline": {"data: {\"a\":1}", "", ""},
		"nothing":                {"", "", ""},
		"cut inside a field":     {"da", "", ""},
		"only a comment":         {": ping\n\n", "", ""},
		"error event":            {"data: {\"a\":1}\n\ndata: {\"error\":{\"message\":\"no\"}}\n\n", "data: {\"a\":1}\n", `objection: true {"error":{"message":"no"}}`},
		"error event, spaced":    {": ping\ndata: { \"error\" : \"no\" }\n\n", "", `objection: true { "error" : "no" }`},
		"the word error is none": {"data: {\"a\":\"\\\"error\\\"\",\"error\":null}\n\n", "data: {\"a\":\"\\\"error\\\"\",\"error\":null}\n", ""},
		"web page":               {"<html>\n<p>data: none\n", "", "objection: false <html>\n<p>data: none"},
		"web page in one line":   {"<html>", "", "objection: false <html>"},
		"document":               {"{\"error\":\"no\"}", "", `objection: false {"error":"no"}`},
		"document of lines":      {"{\n \"error\": 1\n}\n", "", "objection: false {\n \"error\": 1\n}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for way, body := range map[string]io.Reader{
				"at once": strings.NewReader(test.body), "byte by byte": iotest.OneByteReader(strings.NewReader(test.body)),
			} {
				got, err := io.ReadAll(newEvents(io.NopCloser(body), object))
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

// A library that skips events without a name gets each with a name and a blank line; what the server called it is
// nothing but a repetition of its data.
func TestEvents_NamedEvents(t *testing.T) {
	t.Parallel()
	body := "event: ping\ndata: {\"a\":1}\n\ndata: {\"a\":\ndata: 2}\n\nevent: error\ndata: {\"error\":{}}\n\n"
	named := newEvents(io.NopCloser(strings.NewReader(body)), object)
	named.named = true
	got, err := io.ReadAll(named)
	require.Equal(t, "event: message\ndata: {\"a\":1}\n\nevent: message\ndata: {\"a\": 2}\n\n", string(got))
	require.EqualError(t, err, `objection: true {"error":{}}`)
}

func TestEvents_PassALossOn(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	body := io.MultiReader(strings.NewReader("data: {\"a\":1}\n\n<"), iotest.ErrReader(lost))
	got, err := io.ReadAll(newEvents(io.NopCloser(body), object))
	require.Equal(t, "data: {\"a\":1}\n", string(got))
	require.ErrorIs(t, err, lost)
}

func TestEvents_AreBounded(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"one line":   "data: \"" + strings.Repeat("a", maxEvent),
		"many lines": strings.Repeat("data: \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", maxEvent/64),
	} {
		_, err := io.ReadAll(newEvents(io.NopCloser(strings.NewReader(body)), object))
		require.ErrorIs(t, err, errLongEvent, name)
	}
}

// FuzzEvents_Any checks that the reading does not depend on how the bytes arrive, and that what comes out is
// data lines only and comes out unchanged when it is read again.
func FuzzEvents_Any(f *testing.F) {
	for _, seed := range []string{
		"data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: {\"a\":\r\ndata: 1}\r\n\r\n", ": x\ndata: {\"error\":1}\n\n", "<html>", "{\"error\":1}", "\uFEFFdata:1\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		once, err := io.ReadAll(newEvents(io.NopCloser(strings.NewReader(body)), object))
		slow, slowErr := io.ReadAll(newEvents(io.NopCloser(iotest.OneByteReader(strings.NewReader(body))), object))
		require.Equal(t, string(once), string(slow))
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(slowErr))
		for line := range strings.Lines(string(once)) {
			require.True(t, strings.HasPrefix(line, "data: ") && strings.HasSuffix(line, "\n"), "%q", line)
		}
	})
}
