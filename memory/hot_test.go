package memory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHotMemoryLetsTheLowestPriorityGoAndThenTheOldest(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	hot := func(key string, tokens, priority int) {
		t.Helper()
		write(t, p.Store, Entry{Tier: Short, Agent: "r1/executor", Key: key, Value: JSON("x"), Tokens: tokens, Priority: priority, Source: byModel})
	}
	keys := func() []string {
		found, err := p.List(t.Context(), EntryFilter{Tier: Short, Agents: []string{"r1/executor"}})
		require.NoError(t, err)
		return keysOf(found)
	}
	hot("old", 2000, 1)
	hot("important", 2000, 5)
	hot("new", 2000, 1)
	require.Equal(t, []string{"important", "new", "old"}, keys(), "6,000 tokens fit")
	hot("one more", 1, 1)
	require.Equal(t, []string{"important", "new", "one more"}, keys())
	hot("unimportant", 2000, 0)
	require.Equal(t, []string{"important", "new", "one more"}, keys(), "what is written can be what leaves")
	hot("new", 100, 1)
	require.Equal(t, []string{"important", "new", "one more"}, keys(), "what is replaced costs nothing any more")
	hot("unimportant", 2000, 0)
	require.Equal(t, []string{"important", "new", "one more", "unimportant"}, keys())

	_, err := p.Write(t.Context(), Entry{Tier: Short, Key: "k", Value: JSON("x"), Tokens: HotBudget + 1, Source: byModel})
	require.ErrorIs(t, err, ErrOverBudget)

	write(t, p.Store, Entry{Tier: Short, Agent: "r2/executor", Key: "k", Value: JSON("other"), Source: byModel, Expires: c.now().Add(day)})
	p.EndNode("r1/executor")
	require.Empty(t, keys(), "the node run has ended")
	require.Equal(t, `"other"`, read(t.Context(), p.Store, Short, "r2/executor", "k"), "that of another has not")
	c.add(day)
	_, err = p.Read(t.Context(), Short, "r2/executor", "k")
	require.ErrorIs(t, err, ErrNotFound, "its time is over")
}

// hotModel is the short tier in the simplest words: a list, in the order of writing.
type hotModel []hotEntry

func (m hotModel) write(e Entry) hotModel {
	m = slices.DeleteFunc(m, func(x hotEntry) bool { return x.Agent == e.Agent && x.Key == e.Key })
	m = append(m, hotEntry{Entry: e})
	for {
		sum := 0
		var of []int
		for i, x := range m {
			if x.Agent == e.Agent {
				sum += x.tokens()
				of = append(of, i)
			}
		}
		if sum <= HotBudget {
			return m
		}
		first := slices.MinFunc(of, func(i, j int) int { return cmp.Or(cmp.Compare(m[i].Priority, m[j].Priority), cmp.Compare(i, j)) })
		m = slices.Delete(m, first, first+1)
	}
}

func TestHotMemoryIsItsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h, model := newHot(), hotModel{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			agent := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "agent")
			key := fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "key"))
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				h.clear(agent)
				model = slices.DeleteFunc(model, func(x hotEntry) bool { return x.Agent == agent })
			case 1:
				n := len(model)
				model = slices.DeleteFunc(model, func(x hotEntry) bool { return x.Agent == agent && x.Key == key })
				require.Equal(t, len(model) < n, h.delete(agent, key))
			default:
				e := Entry{Agent: agent, Key: key, Value: JSON("x"),
					Tokens: rapid.IntRange(1, HotBudget).Draw(t, "tokens"), Priority: rapid.IntRange(-2, 2).Draw(t, "priority")}
				require.NoError(t, h.write(e, noon))
				model = model.write(e)
			}
			var want, got []string
			for _, x := range model {
				want = append(want, x.Agent+x.Key+fmt.Sprint(x.Tokens))
			}
			for _, x := range h.list(EntryFilter{}.matches, noon) {
				got = append(got, x.Agent+x.Key+fmt.Sprint(x.Tokens))
			}
			slices.Sort(want)
			slices.Sort(got)
			require.Equal(t, strings.Join(want, " "), strings.Join(got, " "))
		}
	})
}
