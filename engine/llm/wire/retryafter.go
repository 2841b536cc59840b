package wire

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter returns how long the provider asks to wait: in milliseconds (retry-after-ms, OpenAI), in
// seconds, with or without a fraction, or until a date (RFC 9110, section 10.2.3). 0 without a readable
// value.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, ok := number(header.Get("Retry-After-Ms")); ok {
		return scale(ms, time.Millisecond)
	}
	value := header.Get("Retry-After")
	if seconds, ok := number(value); ok {
		return scale(seconds, time.Second)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n, err == nil && n >= 0 // also false for NaN
}

// scale rounds up, because no call may be too early; a value out of range is the maximum.
func scale(n float64, unit time.Duration) time.Duration {
	const forever = float64(math.MaxInt64)
	product := math.Ceil(n * float64(unit))
	if product >= forever {
		return math.MaxInt64
	}
	return time.Duration(product)
}
