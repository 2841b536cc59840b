package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/config"
)

func TestState_Dir(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"FORGE_HOME wins":       {map[string]string{"FORGE_HOME": "/f", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/f"},
		"XDG":                   {map[string]string{"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/forge"},
		"a relative XDG is bad": {map[string]string{"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.forge"},
		"home":                  {map[string]string{"HOME": "/h"}, "/h/.forge"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := config.StateDir(func(name string) string { return c.env[name] })
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	_, err := config.StateDir(func(string) string { return "" })
	require.ErrorContains(t, err, "set FORGE_HOME")
}
