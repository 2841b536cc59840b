package activity

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/patch"
)

// shouts finds a fault in each "!" of a text; a text that says "slow" is never done.
type shouts struct{}

func (shouts) Faults(ctx context.Context, _ codeintel.Language, source string) (faults []codeintel.Fault, err error) {
	if strings.Contains(source, "slow") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for at, c := range source {
		if c == '!' {
			faults = append(faults, codeintel.Fault{Span: codeintel.Span{Start: at, End: at + 1}, Message: "not so loud"})
		}
	}
	return faults, nil
}

func TestSyntax_FindsFaults(t *testing.T) {
	t.Parallel()
	loud := func(path string, line, column int, text string) gate.Finding {
		return gate.Finding{Path: path, Line: line, Column: column, Severity: gate.SeverityError, Rule: "syntax", Message: "not so loud: " + text}
	}
	for name, c := range map[string]struct {
		after string
		want  []gate.Finding
	}{
		"nothing wrong":         {"a\nb\n", nil},
		"a fault":               {"a\n  b! c\n", []gate.Finding{loud("x", 2, 4, "b! c")}},
		"three are enough":      {"!!!!!", []gate.Finding{loud("x", 1, 1, "!!!!!"), loud("x", 1, 2, "!!!!!"), loud("x", 1, 3, "!!!!!")}},
		"not looked at in time": {"slow!", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				kit := onRacks(map[string]string{"x": "a\n", "old": "was!\n"})
				kit.Checker = shouts{}
				state := step.State{Base: "b"}.With(patch.ChangeSet{Files: []patch.FileChange{
					{Path: "x", Before: "a\n", After: c.after}, {Path: "old", Before: "was!\n", After: "is !\n"},
				}})
				found, err := kit.syntax(t.Context(), step.PathsCall{State: state, Paths: []string{"x", "old", "gone"}})
				require.NoError(t, err)
				require.Empty(t, cmp.Diff(c.want, found), "errors of the base are not reported")
			})
		})
	}
}

// A run that is cancelled gets its context's error, and no half of an answer.
func TestSyntax_IsCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kit := onRacks(map[string]string{"x": "slow"})
		kit.Checker = shouts{}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := kit.syntax(ctx, step.PathsCall{State: step.State{Base: "b"}, Paths: []string{"x"}})
		require.ErrorIs(t, err, context.Canceled)
	})
}
