//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A session in which the program was killed replays with the same end: the resumed run asks only what was not answered.
func TestPlayed_ContinuesAfterAKill(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/played/*.txtar")
	require.NoError(t, err)
	killed := 0
	for _, file := range found {
		f := readFixture(t, file)
		if f.killed == "" {
			continue
		}
		killed++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			p := f.play(t)
			p.kill(f)
			p.carryOut(f.commands[1:])
			f.judge(t, p)
		})
	}
	require.Positive(t, killed)
}

// kill runs the first command of a fixture until the model has read the request for which it is killed. The answer is a pipe: opening it
// waits for the model to look for the answer.
func (p *playing) kill(f fixture) {
	p.t.Helper()
	before := p.all()
	answer := filepath.Join(p.dir, f.killed)
	require.NoError(p.t, os.Remove(answer))
	require.NoError(p.t, syscall.Mkfifo(answer, 0o600))
	var said bytes.Buffer
	c := p.command(p.t.Context(), f.commands[0]...)
	c.Stdout, c.Stderr = &said, &said
	require.NoError(p.t, c.Start())
	pipe, err := os.OpenFile(answer, os.O_WRONLY, 0)
	require.NoError(p.t, err)
	require.NoError(p.t, c.Process.Kill())
	require.Error(p.t, c.Wait())
	require.NoError(p.t, pipe.Close())
	p.codes, p.said = append(p.codes, c.ProcessState.ExitCode()), said.String()
	require.Equal(p.t, before, p.all(), "a run that is killed leaves the folder as it was")
}
