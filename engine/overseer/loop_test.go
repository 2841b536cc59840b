package overseer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// acts makes actions of words: "edit=a" comes to a, "edit!misfit" fails like that.
func acts(words string) (all []Action) {
	for i, w := range strings.Fields(words) {
		if tool, class, failed := strings.Cut(w, "!"); failed {
			all = append(all, Action{Tool: tool, Result: fmt.Sprint(i), Class: class})
			continue
		}
		tool, result, _ := strings.Cut(w, "=")
		all = append(all, Action{Tool: tool, Result: result})
	}
	return all
}

func TestLoop_Looping(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ actions, want string }{
		"nothing":                          {"", ""},
		"one failure":                      {"edit!misfit", ""},
		"three alike":                      {"edit!misfit edit!misfit edit!misfit", "three times in a row: misfit"},
		"three alike at the end":           {"a=1 edit!x edit!misfit edit!misfit edit!misfit", "three times in a row"},
		"twin: another in between":         {"edit!misfit edit!misfit edit!other edit!misfit", ""},
		"twin: a success in between":       {"edit!misfit edit!misfit edit=1 edit!misfit", ""},
		"twin: three successes":            {"edit=1 edit=2 edit=3", ""},
		"six times the same":               {"read=1 read=1 read=1 read=1 read=1 read=1", "read had the same result more than five times"},
		"six in ten":                       {"read=1 a=1 read=1 b=2 read=1 read=1 c=3 read=1 d=4 read=1", "more than five times"},
		"twin: five in ten":                {"read=1 a=1 read=1 b=2 read=1 e=5 c=3 read=1 d=4 read=1", ""},
		"twin: six in eleven":              {"read=1 a=1 read=1 b=2 read=1 e=5 c=3 read=1 d=4 read=1 read=1", ""},
		"twin: six other results":          {"read=1 read=2 read=3 read=4 read=5 read=6", ""},
		"a cycle of two":                   {"edit=a edit=b edit=a edit=b", "are repeated"},
		"a cycle of three":                 {"edit=a test=b read=c edit=a test=b read=c", "are repeated"},
		"twin: a cycle gone through once":  {"edit=a edit=b edit=a", ""},
		"twin: a cycle of four is no loop": {"edit=a edit=b edit=c edit=d edit=a edit=b edit=c edit=d", ""},
		"twin: the cycle was left":         {"edit=a edit=b edit=a edit=b edit=c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Looping(acts(test.actions))
			if test.want == "" {
				require.Empty(t, got)
				return
			}
			require.Contains(t, got, test.want)
		})
	}
}

// A model that does something else each time, and succeeds, is never reported as looping.
func TestLoop_WorkIsNoLoop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var actions []Action
		for i := range rapid.IntRange(0, 40).Draw(t, "actions") {
			actions = append(actions, Action{Tool: rapid.SampledFrom([]string{"edit", "read"}).Draw(t, "tool"), Result: fmt.Sprint(i)})
			require.Empty(t, Looping(actions))
		}
	})
}
