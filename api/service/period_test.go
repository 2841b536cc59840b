package service

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParsePeriod_CalendarAndSpans(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("here", -8*3600)
	now := time.Date(2026, 11, 26, 15, 4, 5, 0, zone) // a Thursday
	day := func(month time.Month, d int) time.Time { return time.Date(2026, month, d, 0, 0, 0, 0, zone) }
	for text, want := range map[string]Period{
		"today":        {day(11, 26), day(11, 27)},
		"Yesterday":    {day(11, 25), day(11, 26)},
		"this week":    {day(11, 23), day(11, 30)},
		"last  week":   {day(11, 16), day(11, 23)},
		"this month":   {day(11, 1), day(12, 1)},
		"last month":   {day(10, 1), day(11, 1)},
		"2026-11":      {day(11, 1), day(12, 1)},
		"2026-11-05":   {day(11, 5), day(11, 6)},
		"24h":          {From: now.Add(-24 * time.Hour)},
		"3 days":       {From: now.AddDate(0, 0, -3)},
		"last 2 weeks": {From: now.AddDate(0, 0, -14)},
		"1 month":      {From: now.AddDate(0, -1, 0)},
	} {
		got, err := ParsePeriod(text, now)
		require.NoError(t, err, text)
		require.True(t, want.From.Equal(got.From) && want.To.Equal(got.To), "%s: %v", text, got)
	}
	for _, text := range []string{"", "last weak", "2026-13", "-3 days", "days", "99999 days"} {
		_, err := ParsePeriod(text, now)
		require.ErrorContains(t, err, "is no period", text)
	}
	sunday, err := ParsePeriod("this week", time.Date(2026, 11, 29, 23, 59, 0, 0, zone))
	require.NoError(t, err)
	require.True(t, day(11, 23).Equal(sunday.From), "a week ends on Sunday")
}
