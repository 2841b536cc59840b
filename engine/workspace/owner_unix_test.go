//go:build unix

package workspace

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mine is a folder of a user who may give no file away.
type mine struct {
	folder
	given *[]int // uid and gid
}

func (m mine) Chown(_ string, uid, gid int) error {
	if uid != -1 {
		return syscall.EPERM
	}
	*m.given = append(*m.given, uid, gid)
	return nil
}

func TestKeepOwner_KeepsTheGroupOfAnothersFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.txt", "old")
	info, err := os.Stat(filepath.Join(root, "a.txt"))
	require.NoError(t, err)
	var given []int
	keepOwner(mine{given: &given}, "a.txt", info)
	require.Equal(t, []int{-1, os.Getegid()}, given)
}
