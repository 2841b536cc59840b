package python

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
)

func TestAbsent_IsAPackageThatTheChangeDoesNotBring(t *testing.T) {
	t.Parallel()
	s := session{
		project: project{text: map[string]string{"requirements.txt": "my-plugin==1.0\n", "pyproject.toml": ""}},
		places: testrun.Places{Sources: tool.SourcesIn(fstest.MapFS{
			"src/hours/__init__.py": {}, "src/hours/read.py": {Data: []byte("import json\nfrom yaml import safe_load\n")}, "tests/test_read.py": {Data: []byte("import fresh\n")},
		})},
	}
	for name, want := range map[string]string{
		"yaml":      "yaml",      // the code imports it
		"my_plugin": "my_plugin", // the settings name it
		"hours":     "hours",     // it is in the tree, and not on Python's path
		"hours.sum": "",          // the change may bring it
		"fresh":     "",
		"json5":     "",
	} {
		raised := testrun.Outcome{Module: true, State: testrun.Failed, Text: "test_read.py:1: in <module>\n    import x\nE   ModuleNotFoundError: No module named '" + name + "'"}
		require.Equal(t, want, s.absent(raised), name)
	}
	require.Empty(t, s.absent(testrun.Outcome{Text: "E   ModuleNotFoundError: No module named 'yaml'\nE   RuntimeError: install yaml"}), "something else was raised for it")
	require.Empty(t, s.absent(testrun.Outcome{Text: "E   ImportError: cannot import name 'a' from 'yaml'"}))
}
