package memory

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestEntries_SeedOperations are the operations of the table of tiers: write replaces, read is a value or nothing,
// list is the keys of a tier, of one agent or of all.
func TestEntries_SeedOperations(t *testing.T) {
	t.Parallel()
	for _, tier := range Tiers {
		t.Run(string(tier), func(t *testing.T) {
			t.Parallel()
			p, c := open(t)
			ctx := t.Context()
			first := write(t, p.Store, Entry{Tier: tier, Agent: "executor", Key: "workdir", Value: JSON("a"), Source: byModel})
			c.add(time.Second)
			again := write(t, p.Store, Entry{Tier: tier, Agent: "executor", Key: "workdir", Value: JSON(`{"b": 1}`), Source: byUser})
			require.Equal(t, first.ID, again.ID, "tier, agent and key are unique")
			write(t, p.Store, Entry{Tier: tier, Agent: "spec", Key: "workdir", Value: JSON("c"), Source: byModel})
			write(t, p.Store, Entry{Tier: tier, Key: "of nobody", Value: JSON("1"), Source: byModel})
			write(t, p.Store, Entry{Tier: tier, Key: "of nobody", Value: JSON("2"), Source: byModel})

			require.JSONEq(t, `{"b": 1}`, read(ctx, p.Store, tier, "executor", "workdir"))
			require.Equal(t, "2", read(ctx, p.Store, tier, "", "of nobody"))
			_, err := p.Read(ctx, tier, "executor", "nothing")
			require.ErrorIs(t, err, ErrNotFound)

			all, err := p.List(ctx, EntryFilter{Tier: tier})
			require.NoError(t, err)
			require.Equal(t, []string{"of nobody", "workdir", "workdir"}, keysOf(all))
			one, err := p.List(ctx, EntryFilter{Tier: tier, Agents: []string{"executor"}})
			require.NoError(t, err)
			require.Equal(t, []string{"workdir"}, keysOf(one))
			some, err := p.List(ctx, EntryFilter{Tier: tier, Prefix: "of"})
			require.NoError(t, err)
			require.Equal(t, []string{"of nobody"}, keysOf(some))
			require.Equal(t, byUser, one[0].Source, "a value has the source of its writer")
			require.Equal(t, noon.Add(time.Second), one[0].Updated)

			require.NoError(t, p.Forget(ctx, first.ID))
			require.ErrorIs(t, p.Forget(ctx, first.ID), ErrNotFound)
		})
	}
}

func TestEntries_RejectsIncompleteEntries(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	good := Entry{Tier: Long, Agent: "a", Key: "k", Value: JSON("v"), Source: byUser}
	for name, spoil := range map[string]func(*Entry){
		"no tier":        func(e *Entry) { e.Tier = "" },
		"unknown tier":   func(e *Entry) { e.Tier = "eternal" },
		"no key":         func(e *Entry) { e.Key = "" },
		"no value":       func(e *Entry) { e.Value = nil },
		"far away":       func(e *Entry) { e.Expires = noon.AddDate(10_000, 0, 0) },
		"not JSON":       func(e *Entry) { e.Value = []byte("{") },
		"no origin":      func(e *Entry) { e.Source = Source{Run: "r1"} },
		"unknown origin": func(e *Entry) { e.Source.Origin = "rumour" },
	} {
		e := good
		spoil(&e)
		_, err := p.Write(t.Context(), e)
		require.ErrorIs(t, err, ErrInvalid, name)
	}
	write(t, p.Store, good)
	all, err := p.List(t.Context(), EntryFilter{})
	require.NoError(t, err)
	require.Len(t, all, 1)
}

// TestEntries_TiersAreTheirModel compares the tiers on disk with a map, over any order of operations.
func TestEntries_TiersAreTheirModel(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	check := 0
	rapid.Check(t, func(t *rapid.T) {
		check++ // agents of its own: one file serves all checks
		type key struct {
			tier       Tier
			agent, key string
		}
		model := map[key]Entry{}
		agents := []string{fmt.Sprintf("x%d", check), fmt.Sprintf("y%d", check)}
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			k := key{rapid.SampledFrom(Tiers).Draw(t, "tier"), rapid.SampledFrom(agents).Draw(t, "agent"), rapid.SampledFrom([]string{"a", "b", "ä%_\x00"}).Draw(t, "key")}
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				if e, there := model[k]; there {
					require.NoError(t, p.Forget(ctx, e.ID))
				}
				delete(model, k)
			default:
				e := Entry{Tier: k.tier, Agent: k.agent, Key: k.key, Value: JSON(rapid.String().Draw(t, "value")), Source: byModel, Tokens: 5}
				if rapid.Bool().Draw(t, "brief") {
					e.Expires = c.now().Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "expires")) * time.Hour)
				}
				kept, err := p.Write(ctx, e)
				require.NoError(t, err)
				model[k] = kept
			}
		}
		for _, tier := range Tiers {
			got := map[key]string{}
			list, err := p.List(ctx, EntryFilter{Tier: tier, Agents: agents})
			require.NoError(t, err)
			for _, e := range list {
				got[key{e.Tier, e.Agent, e.Key}] = string(e.Value)
			}
			want := map[key]string{}
			for k, e := range model {
				live := k.tier == tier && (e.Expires.IsZero() || c.now().Before(e.Expires))
				value, err := p.Read(ctx, k.tier, k.agent, k.key)
				if k.tier == tier {
					require.Equal(t, live, err == nil)
				}
				if live {
					want[k] = string(e.Value)
					require.Equal(t, string(e.Value), string(value.Value))
				}
			}
			require.Empty(t, cmp.Diff(want, got))
		}
	})
}

func TestEntries_JSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a": 1}`: `{"a": 1}`, `12`: `12`, `a "word"`: `"a \"word\""`, ``: `""`, "\xff": "\"\\ufffd\"", `"quoted"`: `"quoted"`,
	} {
		require.Equal(t, want, string(JSON(text)), text)
	}
}

func TestEntries_Synopsis(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c", synopsis(" a\n\tb  c "))
	long := synopsis(strings.Repeat("head ", 200) + strings.Repeat("tail ", 200))
	require.LessOrEqual(t, len([]rune(long)), synopsisLimit)
	require.True(t, strings.HasPrefix(long, "head head"))
	require.True(t, strings.HasSuffix(long, "tail tail"))
	require.Contains(t, long, "[…]")
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 200).Draw(t, "times"))
		s := synopsis(text)
		require.LessOrEqual(t, len([]rune(s)), synopsisLimit)
		require.Equal(t, s, synopsis(s), "a synopsis is its own synopsis")
		v := synopsisOf(JSON(text))
		require.Equal(t, string(v), string(synopsisOf(v)))
	})
}
