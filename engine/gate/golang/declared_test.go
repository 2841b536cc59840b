package golang

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeclared_AreTheTestsOfAFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a_test.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc TestA(t *testing.T) {}\nfunc Test_b(t *testing.T) {}\nfunc Testing() {}\nfunc TestMain(m *testing.M) {}\n"+
		"func (s) TestC(t *testing.T) {}\nfunc BenchmarkD(b *testing.B) {}\n// func TestE(t *testing.T) {}\n"), 0o600))
	require.Equal(t, []string{"TestA", "Test_b"}, declared(file))
	require.Empty(t, declared(file+".gone"))
}
