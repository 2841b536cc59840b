package state_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/state"
)

func TestTexts_ReturnStoredText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	texts := state.TextsOf(dir, "f00")
	for _, text := range []string{"", "a\x00b\r\n", "secret = \"x\"\n"} {
		id, err := texts.Put("r-1", text)
		require.NoError(t, err)
		again, err := texts.Put("r-1", text)
		require.NoError(t, err)
		require.Equal(t, id, again)
		got, err := texts.Text("r-1", id)
		require.NoError(t, err)
		require.Equal(t, text, got)
		_, err = texts.Text("r-2", id)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
}

func TestTexts_ADamagedOneIsNotTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	texts := state.TextsOf(dir, "f00")
	id, err := texts.Put("r-1", "one")
	require.NoError(t, err)
	other, err := texts.Put("r-1", "two")
	require.NoError(t, err)
	name := func(id string) string { return filepath.Join(dir, "shadow", "f00", "texts", "r-1", id) }
	require.NoError(t, os.Rename(name(other), name(id)))
	_, err = texts.Text("r-1", id)
	require.ErrorContains(t, err, "damaged")
	require.NoError(t, os.WriteFile(name(id), []byte("no zlib"), 0o600))
	_, err = texts.Text("r-1", id)
	require.Error(t, err)
}

func TestTexts_OfOtherRunsGo(t *testing.T) {
	t.Parallel()
	texts := state.TextsOf(t.TempDir(), "f00")
	require.NoError(t, texts.Retain(nil), "there are none")
	ids := map[string]string{}
	for _, run := range []string{"r-1", "r-2"} {
		id, err := texts.Put(run, run)
		require.NoError(t, err)
		ids[run] = id
	}
	require.NoError(t, texts.Retain([]string{"r-2"}))
	_, err := texts.Text("r-1", ids["r-1"])
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = texts.Text("r-2", ids["r-2"])
	require.NoError(t, err)
}
