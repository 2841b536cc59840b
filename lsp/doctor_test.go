package lsp_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/event"
	"forge/lsp"
	"forge/lsp/lsptest"
)

func TestDoctor_ReportsAsStatusDoes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: checking(event.Succeeded)}, annotating)
		var doctor api.DoctorResult
		require.NoError(t, d.execute(api.Doctor, nil, &doctor))
		require.True(t, doctor.OK)
		require.Contains(t, doctor.Checks, api.DoctorCheck{Name: "go", State: "ok", Detail: "go1.26"})
		require.Contains(t, doctor.Checks, api.DoctorCheck{
			Name: "preview", State: "ok", Detail: "annotated edit with a confirmation for each change",
		})
		var status api.StatusResult
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Equal(t, api.StatusResult{Version: "test", Runs: []api.RunInfo{}}, status)
	})
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{}, withoutApplyEdit, folders())
		var doctor api.DoctorResult
		require.NoError(t, d.execute(api.Doctor, nil, &doctor))
		require.False(t, doctor.OK)
		text := ""
		for _, c := range doctor.Checks {
			if c.State == "missing" {
				text += c.Detail
			}
		}
		require.Contains(t, text, "no folder is open")
		require.Contains(t, text, "does not let a server apply edits")
	})
}

func TestDoctor_StatusNamesTheModel(t *testing.T) {
	for name, model := range map[string]func(context.Context) string{
		"scripted at 127.0.0.1": func(context.Context) string { return "scripted at 127.0.0.1" },
		"":                      func(context.Context) string { return "" },
	} {
		bubble(t, func(t *testing.T) {
			d := &harness{Editor: lsptest.Start(t, lsp.Options{Engine: (&fakeEngine{}).parts(), Model: model}), t: t}
			d.Initialize(nil)
			var status api.StatusResult
			require.NoError(t, d.execute(api.Status, nil, &status))
			require.Equal(t, name, status.Model)
		})
	}
}
