package wire

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRetryafter_RetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)
	tests := map[string]struct {
		value, ms string
		want      time.Duration
	}{
		"none":                     {"", "", 0},
		"seconds":                  {"7", "", 7 * time.Second},
		"fraction":                 {"0.25", "", 250 * time.Millisecond},
		"blanks":                   {" 7 ", "", 7 * time.Second},
		"milliseconds":             {"", "1500", 1500 * time.Millisecond},
		"milliseconds are exacter": {"2", "1500", 1500 * time.Millisecond},
		"a hair is rounded up":     {"", "0.0000001", 1},
		"date":                     {"Sun, 01 Mar 2026 12:01:00 GMT", "", time.Minute - 500},
		"old date form":            {"Sunday, 01-Mar-26 12:01:00 GMT", "", time.Minute - 500},
		"date in the past":         {"Sun, 01 Mar 2026 11:00:00 GMT", "", 0},
		"negative":                 {"-5", "", 0},
		"not a number":             {"NaN", "", 0},
		"for ever":                 {"Inf", "", math.MaxInt64},
		"out of range":             {"1e30", "", math.MaxInt64},
		"words":                    {"soon", "", 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			header.Set("Retry-After", test.value)
			header.Set("Retry-After-Ms", test.ms)
			require.Equal(t, test.want, retryAfter(header, now))
		})
	}
}
