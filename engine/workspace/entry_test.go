package workspace

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func sampleEntry(t testing.TB) []byte {
	t.Helper()
	e := entry{
		Version: entryVersion, ID: "abc", Root: "/r", Folders: []string{"new"}, Payload: []byte("\xff\x00 payload"),
		Files: []entryFile{{Path: "link", Target: "new/a", Base: "b", After: "c", Temp: "t", Backup: "o"}},
	}
	text, err := line(e)
	require.NoError(t, err)
	return text
}

func markLine(t testing.TB, m mark) []byte {
	t.Helper()
	text, err := line(m)
	require.NoError(t, err)
	return text
}

func TestParseEntry_ReadsWrittenEntries(t *testing.T) {
	t.Parallel()
	first, stagedLine, committedLine := sampleEntry(t), markLine(t, mark{State: staged}), markLine(t, mark{State: committed})
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, c := range map[string]struct {
		data    []byte
		want    state
		damaged bool
	}{
		"intended":               {first, intended, false},
		"staged":                 {join(first, stagedLine), staged, false},
		"committed":              {join(first, stagedLine, committedLine), committed, false},
		"never staged":           {join(first, committedLine), intended, true},
		"a state half written":   {join(first, stagedLine, committedLine[:len(committedLine)-1]), staged, false},
		"nothing":                {nil, intended, true},
		"half of the first line": {first[:len(first)/2], intended, true},
		"no end of the first":    {first[:len(first)-1], intended, true},
		"backwards":              {join(first, committedLine, stagedLine), intended, true},
		"twice":                  {join(first, stagedLine, stagedLine), intended, true},
		"an empty line":          {join(first, []byte("\n")), intended, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, at, err := parseEntry(c.data)
			if c.damaged {
				require.ErrorIs(t, err, errDamaged)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, at)
			require.Equal(t, "\xff\x00 payload", string(e.Payload))
			require.Empty(t, cmp.Diff([]string{"new"}, e.Folders))
			require.Equal(t, "new/a", e.Files[0].Target)
		})
	}
}

func TestParseEntry_OfANewerForgeIsLeftAlone(t *testing.T) {
	t.Parallel()
	text, err := line(entry{Version: entryVersion + 1, ID: "abc"})
	require.NoError(t, err)
	_, _, err = parseEntry(text)
	require.ErrorContains(t, err, "another version")
	require.NotErrorIs(t, err, errDamaged)
}

// No flipped bit goes unseen.
func TestParseEntry_SeesEveryFlippedBit(t *testing.T) {
	t.Parallel()
	whole := append(sampleEntry(t), markLine(t, mark{State: staged})...)
	for i := range whole {
		for bit := range 8 {
			data := bytes.Clone(whole)
			data[i] ^= 1 << bit
			_, at, err := parseEntry(data)
			if err == nil { // only the end of the last line makes a line that was never written
				require.Equal(t, len(whole)-1, i)
				require.Equal(t, intended, at)
			}
		}
	}
}

func FuzzParseEntry(f *testing.F) {
	first := sampleEntry(f)
	f.Add(first)
	f.Add(append(bytes.Clone(first), markLine(f, mark{State: staged})...))
	f.Add([]byte("0123456789abcdef {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, at, err := parseEntry(data)
		if err != nil {
			require.Equal(t, intended, at)
			return
		}
		require.NotEmpty(t, e.ID)
		text, err := line(e)
		require.NoError(t, err)
		again, _, err := parseEntry(text)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(e, again))
	})
}
