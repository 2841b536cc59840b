package activity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsUnedited_LockFilesAndLicencesUnlessTheTaskNamesThem(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"go.sum", "web/package-lock.json", "Cargo.lock", "LICENSE", "LICENSE.md", "LICENSE-APACHE", "COPYING", "COPYING.txt"} {
		require.True(t, isUnedited(file, "fix the sum"), file)
	}
	for _, file := range []string{"sum.go", "package.json", "license.go", "license.ts", "license-checker.js", "LICENSE-tool.py", "notice.py", "lock.rs", "licenses/list.txt"} {
		require.False(t, isUnedited(file, "fix the sum"), file)
	}
	require.False(t, isUnedited("LICENSE", "put the year 2026 into LICENSE"))
}
