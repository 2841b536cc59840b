package lsp_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/engine/atlas"
)

// progressMessages are the messages that the user saw of the progress so far, by kind.
func progressMessages(t *testing.T, d *harness) []string {
	t.Helper()
	said := []string{}
	for _, m := range d.Messages() {
		if m.Method != protocol.MethodProgress {
			continue
		}
		var value struct {
			Kind    string `json:"kind"`
			Title   string `json:"title"`
			Message string `json:"message"`
		}
		require.NoError(t, protocol.Unmarshal(decodeParams[protocol.ProgressParams](t, m.Params).Value, &value))
		said = append(said, value.Kind+" "+value.Title+value.Message)
	}
	return said
}

func TestSurvey_ProgressWhileAFolderIsRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := read(t, map[string]string{"a.py": "old\n"})
		r.atlas.stand(atlas.Status{Indexed: 1, Total: 4})
		require.Equal(t, []string{"a.py"}, r.paths("old"), "an answer does not wait")
		pause(250)
		r.atlas.stand(atlas.Status{Indexed: 3, Total: 4})
		pause(250)
		r.atlas.stand(atlas.Status{Indexed: 4, Total: 4, Complete: true})
		pause(250)
		require.Equal(t, []string{"begin Forge: reading w", "report 1 of 4 files", "report 3 of 4 files", "end 4 files"}, progressMessages(t, r.harness))
		r.paths("old")
		pause(250)
		require.Len(t, progressMessages(t, r.harness), 4, "it is read once")
	})
}

func TestSurvey_ProgressEndsWithTheSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := read(t, map[string]string{"a.py": "old\n"})
		r.atlas.stand(atlas.Status{Total: 4})
		r.paths("old")
		pause(250)
		require.NoError(t, r.Request(protocol.MethodShutdown, nil, nil))
		synctest.Wait()
		require.Equal(t, []string{"begin Forge: reading w", "report 0 of 4 files", "end the session ends"}, progressMessages(t, r.harness))
	})
}

func TestSurvey_NoProgressWhereThereIsNone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := read(t, map[string]string{"a.py": "old\n"})
		r.paths("old")
		pause(500)
		require.Empty(t, r.Messages(), "the folder was read at once")
	})
	bubble(t, func(t *testing.T) {
		r := read(t, map[string]string{"a.py": "old\n"}, withoutProgress)
		r.atlas.stand(atlas.Status{Total: 4})
		r.paths("old")
		pause(500)
		require.Empty(t, r.Messages(), "the client shows none")
	})
}
