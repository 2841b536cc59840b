package memory

import (
	"fmt"
	"time"
)

// stampLayout is how times stand in the database: UTC, as SQLite's own datetime() writes them, with
// milliseconds. The width is fixed, so that the order of texts is the order of times.
const stampLayout = "2006-01-02 15:04:05.000"

// stamp is the text of a time; the zero time is the empty text, which sorts before all others.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(stampLayout)
}

// parseStamp is the inverse of stamp, to the millisecond.
func parseStamp(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(stampLayout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time %q: %w", text, err)
	}
	return t, nil
}

// moment scans a column that stamp wrote.
type moment struct{ to *time.Time }

// Scan reads the text of a time.
func (m moment) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("read a time: it is no text")
	}
	var err error
	*m.to, err = parseStamp(text)
	return err
}

// day is the unit of all the lifetimes here.
const day = 24 * time.Hour
