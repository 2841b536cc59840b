package keep

import "fmt"

// size formats a size on disk: "812 B", "1.2 MB".
func size(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	rest, prefixes := float64(n)/unit, "kMGTPE"
	for rest >= unit && len(prefixes) > 1 {
		rest, prefixes = rest/unit, prefixes[1:]
	}
	return fmt.Sprintf("%.1f %cB", rest, prefixes[0])
}
