package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel"
)

// naive says of a text what an inverter must say, the long way: how often each word stands in each part.
func naive(path, text string) map[string]map[int32]uint32 {
	all := map[string]map[int32]uint32{}
	add := func(part int32, text string) {
		for word := range codeintel.Words(text) {
			if all[word] == nil {
				all[word] = map[int32]uint32{}
			}
			all[word][part]++
		}
	}
	add(PartPath, path)
	lines := slices.Collect(strings.Lines(text))
	for part := 0; part*ChunkLines < len(lines); part++ {
		add(int32(part), strings.Join(lines[part*ChunkLines:min((part+1)*ChunkLines, len(lines))], ""))
	}
	return all
}

func checkWords(t require.TestingT, v *inverter, path, text string) {
	v.addFile(path, hashOf([]byte(text)), []byte(text))
	s := v.finish()
	words := 0
	for range codeintel.Words(text) {
		words++
	}
	require.Equal(t, indexed{path, hashOf([]byte(text)), len(text), len(slices.Collect(strings.Lines(text))), words}, s.documents[0])
	got := map[string]map[int32]uint32{}
	for i := range s.wordEnds {
		parts := map[int32]uint32{}
		for _, p := range s.appendPostings(nil, s.find(s.word(i)), []uint32{0}) {
			parts[p.Part] = p.Count
		}
		got[s.word(i)] = parts
	}
	require.Equal(t, naive(path, text), got)
}

func TestInverter_CountsAllWords(t *testing.T) {
	t.Parallel()
	v := newInverter(PartPath)
	for name, text := range map[string]string{
		"empty":             "",
		"one line":          "parseHTTPRequest parse_http",
		"lines of one part": strings.Repeat("word\n", 20),
		"one line more":     strings.Repeat("word\n", 20) + "word",
		"no last line end":  strings.TrimSuffix(strings.Repeat("word\n", 20), "\n"),
		"only line ends":    strings.Repeat("\n", 41),
		"all scripts":       "straßeGröße 日本語 ǅungla ١٢٣ é ñ_x",
		"broken UTF-8":      "fo\xffo \xc3 gr\xc3\xb6\xc3",
		"CRLF":              "one\r\ntwo\r\n",
	} {
		t.Run(name, func(t *testing.T) { checkWords(t, v, "some/Path_of.go", text) })
	}
}

func TestInverter_CountsWordsOfAnyText(t *testing.T) {
	t.Parallel()
	v := newInverter(PartPath) // one for all: what it knows must not matter
	text := rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringMatching(`([a-zA-Z_0-9]{1,8}[ .\n]?){0,100}`),
	)
	rapid.Check(t, func(t *rapid.T) { checkWords(t, v, text.Draw(t, "path"), text.Draw(t, "text")) })
}

func FuzzInverter(f *testing.F) {
	f.Add("a/b.go", "func parseHTTPRequest() {}\n")
	f.Add("", "\xff\n\n")
	f.Fuzz(func(t *testing.T, path, text string) { checkWords(t, newInverter(PartPath), path, text) })
}

// segmentOf indexes texts as one segment; their paths are a, b, c and so on.
func segmentOf(texts ...string) *segment {
	v := newInverter(PartPath)
	for i, text := range texts {
		v.addFile(string(rune('a'+i)), hashOf([]byte(text)), []byte(text))
	}
	return v.finish()
}

func TestStore_SegmentsAreKept(t *testing.T) {
	t.Parallel()
	s := segmentOf("one two", "", strings.Repeat("three two\n", 50))
	encoded := s.encode()
	again, err := decodeSegment(encoded)
	require.NoError(t, err)
	require.Equal(t, s, again)

	for i := range encoded {
		damaged := slices.Clone(encoded)
		damaged[i] ^= 0x10
		_, err := decodeSegment(damaged)
		require.ErrorIs(t, err, errDamaged, "byte %d", i)
		_, err = decodeSegment(encoded[:i])
		require.ErrorIs(t, err, errDamaged, "up to byte %d", i)
	}
}

// FuzzDecodeSegment damages what the checksum would have found: even then nothing must crash.
func FuzzDecodeSegment(f *testing.F) {
	encoded := segmentOf("one two", strings.Repeat("three two\n", 50)).encode()
	f.Add(encoded[:len(encoded)-4])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		e := encoder{bytes: slices.Clone(bytes)}
		s, err := decodeSegment(e.sealed())
		if err != nil {
			return
		}
		ids := make([]uint32, len(s.documents))
		for i := range s.wordEnds {
			s.appendPostings(nil, s.list(i), ids)
		}
	})
}
