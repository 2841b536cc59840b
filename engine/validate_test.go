package engine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/checks"
	"forge/engine/gate"
	"forge/engine/workspace"
)

func TestValidation_Verdict(t *testing.T) {
	t.Parallel()
	pass, fail, broke := gate.Report{Verdict: gate.Pass}, gate.Report{Verdict: gate.Fail}, gate.Report{Verdict: gate.Error}
	missing, nothing := gate.Report{}, gate.Report{Empty: true}
	for name, tt := range map[string]struct {
		reports []gate.Report
		want    gate.Verdict
	}{
		"all pass":                   {[]gate.Report{pass, pass}, gate.Pass},
		"nothing ran":                {nil, gate.NotRun},
		"a project without tests":    {[]gate.Report{pass, nothing}, gate.Pass},
		"nothing was there to check": {[]gate.Report{nothing, nothing}, gate.NotRun},
		"a tool is missing":          {[]gate.Report{pass, missing, pass}, gate.Error},
		"one broke":                  {[]gate.Report{broke, pass}, gate.Error},
		"one fails":                  {[]gate.Report{broke, fail, pass}, gate.Fail},
	} {
		require.Equal(t, tt.want.String(), checks.Validation{Reports: tt.reports}.Verdict().String(), name)
	}
}

// shy is a gate that litters the tree, and fails where it finds the litter of an earlier one.
type shy struct{ name string }

func (s shy) Name() string { return s.name }
func (s shy) Run(_ context.Context, t gate.Tree) gate.Report {
	report := gate.Report{Gate: s.name, Verdict: gate.Pass, Executed: 1}
	if _, err := os.Stat(filepath.Join(t.Dir(), "litter")); err == nil {
		report.Verdict = gate.Fail
	}
	if err := os.WriteFile(filepath.Join(t.Dir(), "litter"), nil, 0o600); err != nil {
		report.Verdict = gate.Error
	}
	return report
}

func TestValidate_RunsTheGatesOfAFolder(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.txt"), []byte("a\n"), 0o600))
	l := gate.Language{
		Name: "x", Roots: func([]string, func(string) ([]byte, error)) []string { return []string{""} }, Gates: []gate.Gate{shy{"one"}, shy{"two"}},
		Select: func(context.Context, gate.Tree) []string { return []string{"one", "two"} },
	}
	e := New(Options{StateDir: t.TempDir(), Environ: os.Environ(), Languages: []gate.Language{l}})
	defer e.Close()
	s := workspace.Snapshot{Root: root}
	_, err := e.Validate(t.Context(), s, checks.Wanted{}, nil)
	require.ErrorIs(t, err, ErrNotTrusted)
	require.Equal(t, checks.CheckWarning, e.DoctorFolder(t.Context(), root)[0].State)
	require.NoError(t, e.Trust(root))
	var told []string
	v, err := e.Validate(t.Context(), s, checks.Wanted{}, func(r gate.Report) { told = append(told, r.Gate) })
	require.NoError(t, err)
	require.Equal(t, gate.Pass, v.Verdict(), "no gate finds what another one left")
	require.Equal(t, []string{"one", "two"}, told)
	require.NoFileExists(t, filepath.Join(root, "litter"), "the folder is not touched")
	found := e.DoctorFolder(t.Context(), root)
	require.Len(t, found, 2)
	require.Equal(t, checks.Check{Name: "one", State: checks.CheckOK, Detail: "would check this folder"}, found[0])
}
