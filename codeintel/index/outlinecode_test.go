package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func someOutline() codeintel.Outline {
	return codeintel.Outline{
		Language: codeintel.LanguageGo, Package: "p", Broken: true,
		Symbols: []codeintel.Symbol{
			{Name: "T", Kind: codeintel.Struct, Doc: "T is.", Span: codeintel.Span{Start: 10, End: 90}, NameSpan: codeintel.Span{Start: 15, End: 16},
				Children: []codeintel.Symbol{
					{Name: "A", Kind: codeintel.Field, Detail: "int"},
					{Name: "B", Kind: codeintel.Struct, Children: []codeintel.Symbol{{Name: "C", Kind: codeintel.Field}}},
				}},
			{Name: "Do", Kind: codeintel.Method, Receiver: "*T", Detail: "()"},
		},
		Imports: []codeintel.Import{{Path: "fmt"}, {Path: "./x", Names: []string{"a", "b"}, Span: codeintel.Span{Start: 1, End: 2}}},
	}
}

func TestOutlines_AreKept(t *testing.T) {
	t.Parallel()
	for name, outline := range map[string]codeintel.Outline{"empty": {}, "full": someOutline()} {
		again, err := decodeOutline(encodeOutline(outline))
		require.NoError(t, err, name)
		require.Empty(t, cmp.Diff(outline, again), name)
	}
	require.Equal(t, []string{"T", "A", "B", "C", "Do"}, appendNames(nil, someOutline().Symbols))
}

func TestDecodeOutline_RefusesSenselessSpans(t *testing.T) {
	t.Parallel()
	_, err := decodeOutline(encodeOutline(codeintel.Outline{Symbols: []codeintel.Symbol{{Name: "x", Span: codeintel.Span{Start: 9, End: 3}}}}))
	require.ErrorIs(t, err, errDamaged)
}

// FuzzDecodeOutline damages what the checksum would have found: even then nothing must crash.
func FuzzDecodeOutline(f *testing.F) {
	for _, outline := range []codeintel.Outline{{}, someOutline()} {
		encoded := encodeOutline(outline)
		f.Add(encoded[:len(encoded)-4])
	}
	f.Add([]byte(strings.Repeat("\xff", 20)))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		e := encoder{bytes: slices.Clone(bytes)}
		outline, err := decodeOutline(e.sealed())
		if err != nil {
			return
		}
		again, err := decodeOutline(encodeOutline(outline))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(outline, again))
	})
}
