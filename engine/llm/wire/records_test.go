package wire

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A record may hold an error and is passed on; an error in lines ends the reading.
func TestRecords_MayHoldErrors(t *testing.T) {
	t.Parallel()
	const body = "{\"id\":1,\"error\":null}\n{\"id\":2,\"error\":{\"message\":\"no\"}}\n{\"id\":3}\n"
	tests := map[string]struct {
		framing Framing
		body    string
		want    string
		fails   bool
	}{
		"records":              {Records, body, body, false},
		"records of one":       {Records, "{\"error\":1}", "{\"error\":1}\n", false},
		"no records":           {Records, "<html>", "", true},
		"lines":                {Lines, body, "{\"id\":1,\"error\":null}\n", true},
		"records that are cut": {Records, body[:len(body)-3], body[:strings.Index(body, "{\"id\":3")], false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, _ := New(Options{BaseURL: "http://h"}, Dialect{}).Exchange(t.Context(), test.framing)
			defer x.End()
			got, err := io.ReadAll(x.frame(io.NopCloser(strings.NewReader(test.body))))
			require.Equal(t, test.want, string(got))
			require.Equal(t, test.fails, err != nil, "%v", err)
		})
	}
}
