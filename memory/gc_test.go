package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/memory/words"
)

func collect(t testing.TB, p *Project, now time.Time) Collected {
	t.Helper()
	would, err := p.Collectable(t.Context(), now)
	require.NoError(t, err)
	got, err := p.GC(t.Context(), now)
	require.NoError(t, err)
	require.Equal(t, would, got, "what it would do is what it does")
	return got
}

func TestGC_KeepsMidTierADayAfterItsRun(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	for _, run := range []string{"r1", "r2", ""} {
		source := Source{Origin: Model, Run: run}
		write(t, p.Store, Entry{Tier: Mid, Agent: "executor", Key: "files of " + run, Value: JSON("x"), Source: source})
		if run != "" {
			_, err := p.RecordAttempt(ctx, Attempt{Run: run, Node: "executor", Attempt: 1, Total: 1, Source: source})
			require.NoError(t, err)
		}
	}
	require.NoError(t, p.BeginRun(ctx, "r1"))
	require.NoError(t, p.EndRun(ctx, "r1"))
	require.ErrorIs(t, p.EndRun(ctx, ""), ErrInvalid)
	require.Equal(t, Collected{}, collect(t, p, c.now().Add(day-time.Millisecond)))
	require.NoError(t, p.EndRun(ctx, "r1"), "to say it again")
	require.Equal(t, Collected{Mid: 1, Iterations: 1}, collect(t, p, c.now().Add(day)))
	require.Empty(t, recalled(t, p, Query{Text: "files", Run: "r1"}))

	require.NoError(t, p.EndRun(ctx, "r2"))
	require.NoError(t, p.BeginRun(ctx, "r2"), "it is resumed")
	require.Equal(t, Collected{}, collect(t, p, c.now().Add(90*day-time.Millisecond)))
	require.Equal(t, Collected{Mid: 2, Iterations: 1}, collect(t, p, c.now().Add(90*day)), "data of a run without an end is not kept for ever")
}

func TestGC_EpisodesFadeToASynopsis(t *testing.T) {
	t.Parallel()
	c := &clock{noon}
	p, err := Open(t.Context(), t.TempDir(), "p", Options{Now: c.now})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	ctx := t.Context()
	long := JSON("begin " + strings.Repeat("decision ", 300) + "end")
	write(t, p.Store, Entry{Tier: Episodic, Key: "long", Value: long, Source: byModel})
	write(t, p.Store, Entry{Tier: Episodic, Key: "brief", Value: JSON(`{"a": 1}`), Source: byModel})
	write(t, p.Store, Entry{Tier: Long, Key: "kept", Value: long, Source: byModel})

	require.Equal(t, Collected{}, collect(t, p, c.now().Add(30*day-time.Millisecond)))
	require.Equal(t, string(long), read(ctx, p.Store, Episodic, "", "long"))
	require.Equal(t, Collected{EpisodicReduced: 2}, collect(t, p, c.now().Add(30*day)))
	require.Equal(t, Collected{}, collect(t, p, c.now().Add(30*day)), "once")
	e, err := p.Read(ctx, Episodic, "", "long")
	require.NoError(t, err)
	require.True(t, e.Synopsis)
	require.LessOrEqual(t, len([]rune(words.JSONText(e.Value))), synopsisLimit)
	require.True(t, strings.HasPrefix(words.JSONText(e.Value), "begin decision") && strings.HasSuffix(words.JSONText(e.Value), "decision end"))
	require.JSONEq(t, `{"a": 1}`, read(ctx, p.Store, Episodic, "", "brief"), "what is brief is its own synopsis")
	require.NotEmpty(t, recalled(t, p, Query{Text: "decision", Tiers: []Tier{Episodic}}))

	require.Equal(t, Collected{}, collect(t, p, c.now().Add(90*day-time.Millisecond)))
	require.Equal(t, Collected{Episodic: 2}, collect(t, p, c.now().Add(90*day)))
	require.Equal(t, string(long), read(ctx, p.Store, Long, "", "kept"))
	require.Equal(t, []string{"kept"}, texts(recalled(t, p, Query{Text: "decision"})))
}

func TestGC_AnEventThatIsWrittenAgainIsNew(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	write(t, p.Store, Entry{Tier: Episodic, Key: "k", Value: JSON("x"), Source: byModel})
	c.add(89 * day)
	collect(t, p, c.now())
	e := write(t, p.Store, Entry{Tier: Episodic, Key: "k", Value: JSON("y"), Source: byModel})
	require.False(t, e.Synopsis)
	require.Equal(t, Collected{}, collect(t, p, c.now().Add(29*day)))
}

func TestGC_ReportsBothFiles(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	for _, s := range []*Store{p.Store, p.Global.Store} {
		write(t, s, Entry{Tier: Long, Key: "brief", Value: JSON("x"), Source: byModel, Expires: c.now().Add(day)})
	}
	require.Equal(t, Collected{}, collect(t, p, c.now().Add(day-time.Millisecond)))
	require.Equal(t, Collected{Expired: 2}, collect(t, p, c.now().Add(day)))
}

// TestGC_OfManyRows takes more than one batch.
func TestGC_OfManyRows(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	fill(t, p.Store, 2*reduceBatch+20)
	require.Equal(t, Collected{EpisodicReduced: reduceBatch + 10}, collect(t, p, c.now().Add(30*day)))
	require.Equal(t, Collected{Episodic: reduceBatch + 10}, collect(t, p, c.now().Add(90*day)))
	var words int
	require.NoError(t, p.db.Read().QueryRow(`SELECT count(*) FROM memory_words`).Scan(&words))
	require.Equal(t, reduceBatch+10, words, "no words of rows that are gone: "+fmt.Sprint(words))
}
