package memory

import (
	"database/sql"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func saveSpec(t testing.TB, p *Project, text string) Spec {
	t.Helper()
	s, err := p.SaveSpec(t.Context(), Spec{Prompt: "prompt of " + text, Text: text, Changelog: "adds " + text, Source: byModel})
	require.NoError(t, err)
	return s
}

func TestSpecs_VersionsAreAppended(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	_, err := p.Spec(ctx, 0)
	require.ErrorIs(t, err, ErrNotFound)

	require.Equal(t, 1, saveSpec(t, p, "one").Version)
	require.Equal(t, ID("spec-2"), saveSpec(t, p, "two").ID)
	latest, err := p.Spec(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, Spec{ID: "spec-2", Version: 2, Prompt: "prompt of two", Text: "two", Changelog: "adds two", Source: byModel, Created: noon}, latest)

	_, err = p.SaveSpec(ctx, Spec{Version: 2, Text: "late", Source: byModel})
	require.ErrorIs(t, err, ErrExists, "somebody else was first")
	third, err := p.SaveSpec(ctx, Spec{Version: 3, Text: "three", Source: byModel})
	require.NoError(t, err)
	require.Equal(t, 3, third.Version)
	_, err = p.SaveSpec(ctx, Spec{Text: "from nowhere"})
	require.ErrorIs(t, err, ErrInvalid)

	a, b, err := p.SpecPair(ctx, 1, 0)
	require.NoError(t, err)
	require.Equal(t, "one three", a.Text+" "+b.Text)
	for _, version := range []int{4, -1} {
		_, _, err = p.SpecPair(ctx, 1, version)
		require.ErrorIs(t, err, ErrNotFound)
	}
	all, err := p.Specs(ctx)
	require.NoError(t, err)
	require.Len(t, all, 3)
	require.Equal(t, 3, all[0].Version)
}

func TestSpecs_RollbackIsANewVersion(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	first := saveSpec(t, p, "one")
	saveSpec(t, p, "two")
	back, err := p.RollbackSpec(ctx, 1, byUser)
	require.NoError(t, err)
	require.Equal(t, 3, back.Version)
	require.Equal(t, "one", back.Text)
	require.Equal(t, "Back to version 1.", back.Changelog)
	require.Equal(t, byUser, back.Source)
	still, err := p.Spec(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, first, still)
	for _, version := range []int{0, 9, -1} {
		_, err = p.RollbackSpec(ctx, version, byUser)
		require.Error(t, err)
	}
	_, err = p.RollbackSpec(ctx, 1, Source{})
	require.ErrorIs(t, err, ErrInvalid)
}

func TestSpecs_NothingChangesAVersion(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	saveSpec(t, p, "one")
	err := p.update(t.Context(), "cheat", func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE spec_versions SET spec_md = 'other'`)
		return err
	})
	require.ErrorContains(t, err, "never changed")
	require.ErrorIs(t, p.Forget(t.Context(), "spec-1"), ErrInvalid)
	s, err := p.Spec(t.Context(), 1)
	require.NoError(t, err)
	require.Equal(t, "one", s.Text)
}

func TestSpecs_GCKeepsTheLastTenVersions(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	for i := range 10 {
		saveSpec(t, p, fmt.Sprint(i+1))
	}
	got, err := p.GC(ctx, c.now())
	require.NoError(t, err)
	require.Equal(t, Collected{}, got, "ten are kept")
	saveSpec(t, p, "11")
	saveSpec(t, p, "12")
	got, err = p.GC(ctx, c.now())
	require.NoError(t, err)
	require.Equal(t, Collected{Specs: 2}, got)
	_, err = p.Spec(ctx, 2)
	require.ErrorIs(t, err, ErrCollected)
	_, err = p.RollbackSpec(ctx, 2, byUser)
	require.ErrorIs(t, err, ErrCollected)
	_, err = p.Spec(ctx, 3)
	require.NoError(t, err)
	require.Equal(t, 13, saveSpec(t, p, "13").Version, "no number is given twice")
}
