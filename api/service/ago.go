package service

import (
	"fmt"
	"time"
)

// Ago says for people how long ago something was: "just now", "12 minutes ago", "3 days ago".
func Ago(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute") + " ago"
	case d < day:
		return count(int(d/time.Hour), "hour") + " ago"
	}
	return count(int(d/day), "day") + " ago"
}

// Bytes says for people how much something takes on disk: "812 B", "1.2 MB".
func Bytes(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, prefixes := float64(n)/unit, "kMGTPE"
	for size >= unit && len(prefixes) > 1 {
		size, prefixes = size/unit, prefixes[1:]
	}
	return fmt.Sprintf("%.1f %cB", size, prefixes[0])
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
