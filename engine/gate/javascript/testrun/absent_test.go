package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAbsent_IsAPackageAndNoFile(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@hourleaf/core' imported from src/main.js\ncode: 'ERR_MODULE_NOT_FOUND'": "@hourleaf/core",
		"Error: Cannot find module 'lodash/fp'\nRequire stack:\n- /tree/a.js":                                                        "lodash/fp",
		"Cannot find module 'left-pad' from 'src/a.js'":                                                                              "left-pad",
		`Error: Failed to resolve import "vue" from "src/a.ts". Does the file exist?`:                                                "vue",
		"Error: Cannot find module './round.js'\nRequire stack:":                                                                     "",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/tree/src/round.js' imported from /tree/a.js":                             "",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'file:///tree/src/round.js'":                                               "",
		"Error: Cannot find module '@/round' from 'src/a.js'":                                                                        "",
		`Error: Failed to resolve import "./round" from "src/a.ts".`:                                                                 "",
		"Error: No such built-in module: node:sqlite":                                                                                "",
		"SyntaxError: The requested module './a.js' does not provide an export named 'b'":                                            "",
		"AssertionError: 1 == 2\nCannot find module 'x'":                                                                             "",
	} {
		require.Equal(t, want, absent(message), message)
	}
}
