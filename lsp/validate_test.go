package lsp_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/jsonrpc2"

	"forge/api"
	"forge/api/service"
	"forge/engine/checks"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/step"
	"forge/engine/workspace"
)

// fakeGates finds the word "bad" in the texts that it is shown.
type fakeGates struct {
	service.Gates
	seen *workspace.Snapshot
}

func (g fakeGates) Detect(_ context.Context, s workspace.Snapshot) (checks.Validation, error) {
	*g.seen = s
	return checks.Validation{Units: []step.Unit{{Language: "go", Gates: []string{"go vet"}}}, Gates: []string{"go vet"}, Waived: []string{"mypy"}}, nil
}

func (g fakeGates) Validate(ctx context.Context, s workspace.Snapshot, w checks.Wanted, tell func(gate.Report)) (checks.Validation, error) {
	v, err := g.Detect(ctx, s)
	if slices.Contains(w.Gates, "go fly") {
		return v, fmt.Errorf("%w as %q: there are go vet", checks.ErrNoGate, "go fly")
	}
	report := gate.Report{Gate: "go vet", Verdict: gate.Fail, Findings: []gate.Finding{{Path: "a.go", Line: 2, Severity: gate.SeverityError, Rule: "bad", Message: "it is bad"}}}
	tell(report)
	v.Reports = append(v.Reports, report)
	return v, err
}

func TestValidate_ShowsFindings(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var seen workspace.Snapshot
		e := &fakeEngine{script: checking(event.Succeeded)}
		e.gates = fakeGates{seen: &seen}
		d := start(t, map[string]string{"a.go": "package a\nvar bad = 1\n"}, e)
		var found api.GatesResult
		require.NoError(t, d.execute(api.DetectGates, nil, &found))
		require.Equal(t, []string{"go vet"}, found.Gates)
		require.Equal(t, []string{"mypy"}, found.Waived)
		require.Equal(t, d.root, seen.Root)
		var result api.ValidateResult
		require.NoError(t, d.execute(api.Validate, nil, &result))
		require.Equal(t, "fail", result.Verdict)
		require.Equal(t, "it is bad", result.Gates[0].Findings[0].Message)
		require.NoError(t, d.execute(api.Validate, api.ValidateArgs{Gates: []string{"go vet"}}, &result))
		require.Equal(t, "go vet", result.Gates[0].Name)
		var refused *jsonrpc2.Error
		require.ErrorAs(t, d.execute(api.Validate, api.ValidateArgs{Gates: []string{"go fly"}}, nil), &refused)
		require.EqualValues(t, -32602, refused.Code)
		require.Contains(t, refused.Message, `no such gate as "go fly": there are go vet`)
	})
}
