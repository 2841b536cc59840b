package service

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"forge/internal/lazyregexp"
)

// Period is a time span, its end excluded. A zero To is open.
type Period struct{ From, To time.Time }

// Periods says what ParsePeriod understands, for messages.
const Periods = "today, yesterday, this week, last week, this month, last month, 24h, 3 days, 2 weeks, 2026-11, 2026-11-05"

// back matches a time span that ends now: "3 days", "last 2 weeks", "24h".
var back = lazyregexp.New(`^(?:last |past )?(\d{1,4}) ?(h|hours?|d|days?|w|weeks?|months?)$`)

// ParsePeriod reads a period in words, in the time zone of now: a calendar day, week (from Monday, ISO 8601) or month, or the last so
// many hours, days, weeks or months.
func ParsePeriod(text string, now time.Time) (p Period, err error) {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	year, month, date := now.Date()
	day := func(n int) time.Time { return time.Date(year, month, date+n, 0, 0, 0, 0, now.Location()) }
	monday := -((int(now.Weekday()) + 6) % 7) // days since
	monthFrom := func(n int) time.Time { return time.Date(year, month+time.Month(n), 1, 0, 0, 0, 0, now.Location()) }
	switch text {
	case "today":
		return Period{day(0), day(1)}, nil
	case "yesterday":
		return Period{day(-1), day(0)}, nil
	case "this week", "week":
		return Period{day(monday), day(monday + 7)}, nil
	case "last week":
		return Period{day(monday - 7), day(monday)}, nil
	case "this month", "month":
		return Period{monthFrom(0), monthFrom(1)}, nil
	case "last month":
		return Period{monthFrom(-1), monthFrom(0)}, nil
	}
	if m := back.FindStringSubmatch(text); m != nil {
		return Period{From: ago(now, m[1], m[2])}, nil
	}
	if t, err := time.ParseInLocation("2006-01-02", text, now.Location()); err == nil {
		return Period{t, t.AddDate(0, 0, 1)}, nil
	}
	if t, err := time.ParseInLocation("2006-01", text, now.Location()); err == nil {
		return Period{t, t.AddDate(0, 1, 0)}, nil
	}
	return p, fmt.Errorf("%q is no period: use one of %s", text, Periods)
}

// ago is so many units before a time. The texts are those that back matches.
func ago(now time.Time, count, unit string) time.Time {
	n, err := strconv.Atoi(count)
	if err != nil {
		return now // not reached: count has digits only
	}
	switch unit[0] {
	case 'h':
		return now.Add(-time.Duration(n) * time.Hour)
	case 'w':
		return now.AddDate(0, 0, -7*n)
	case 'm':
		return now.AddDate(0, -n, 0)
	}
	return now.AddDate(0, 0, -n)
}
