package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/index"
	"forge/codeintel/search"
)

func symbol(name string, kind codeintel.Kind, children ...codeintel.Symbol) codeintel.Symbol {
	return codeintel.Symbol{Name: name, Kind: kind, Children: children}
}

// shop are the documents of a small folder.
func shop() []index.Document {
	document := func(path string, symbols ...codeintel.Symbol) index.Document {
		return index.Document{Path: path, Outline: &codeintel.Outline{Symbols: symbols}}
	}
	send := symbol("Send", codeintel.Method)
	send.Receiver = "*Client"
	return []index.Document{
		document("docs/guide.md", symbol("Opening hours", codeintel.Heading)),
		document("http/client.go", symbol("parseHTTPHeader", codeintel.Function), symbol("Client", codeintel.Struct, symbol("header", codeintel.Field)), send),
		{Path: "logo.svg"},
		document("tools/report.py", symbol("QuarterlyReport", codeintel.Class, symbol("render", codeintel.Method), symbol("send", codeintel.Method))),
		document("tools/straße.py", symbol("straße_größe", codeintel.Function), symbol("Ünder", codeintel.Function)),
		document("web/header.ts", symbol("Header", codeintel.Class), symbol("headerOf", codeintel.Function), symbol("subheader", codeintel.Function), symbol("max_header_size", codeintel.Constant)),
	}
}

func TestNames_FindsThoseNear(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"header":             "Header header headerOf parseHTTPHeader max_header_size subheader", // the same, the beginning, a part, inside
		"Header":             "Header header headerOf parseHTTPHeader max_header_size subheader",
		"QuarterlyReport":    "QuarterlyReport",
		"quarterly report":   "QuarterlyReport",
		"qr":                 "QuarterlyReport",
		"quartrep":           "QuarterlyReport",
		"qrtrly":             "QuarterlyReport",
		"uarterly":           "QuarterlyReport",
		"uartrly":            "", // no part begins with it
		"parseHdr":           "parseHTTPHeader",
		"phh":                "parseHTTPHeader",
		"mhs":                "max_header_size",
		"opening hours":      "Opening hours",
		"oh":                 "Opening hours",
		"send":               "send Send",
		"Client.Send":        "Send",
		"client#send":        "Send",
		"QuarterlyReport::s": "send",
		"report/send":        "send", // by the path
		"walrus.send":        "",
		"STRASSE":            "",
		"straße":             "straße_größe",
		"GRÖ":                "straße_größe",
		"ünder":              "Ünder",
		"":                   "", " . ": "", "::": "", "walrus": "", "headerss": "", "redaeh": "",
	} {
		hits, err := search.NewNameTable(shop(), nil).Names(t.Context(), text, 9)
		require.NoError(t, err)
		var names []string
		for _, h := range hits {
			names = append(names, h.Symbol.Name)
		}
		require.Equal(t, want, strings.Join(names, " "), text)
	}
}

func TestNames_AreBoundedAndInOrder(t *testing.T) {
	t.Parallel()
	var documents []index.Document
	for i := range 500 {
		documents = append(documents, index.Document{Path: fmt.Sprintf("%03d.go", i), Outline: &codeintel.Outline{
			Symbols: []codeintel.Symbol{symbol("renderAll", codeintel.Function), symbol("surrender", codeintel.Function)},
		}})
	}
	documents = append(documents, index.Document{Path: "z.go", Outline: &codeintel.Outline{Symbols: []codeintel.Symbol{symbol("render", codeintel.Function)}}})
	hits, err := search.NewNameTable(documents, nil).Names(t.Context(), "render", 3)
	require.NoError(t, err)
	require.Len(t, hits, 3)
	require.Equal(t, "z.go", hits[0].Path, "the best one is found, however late")
	require.Equal(t, []string{"000.go", "001.go"}, []string{hits[1].Path, hits[2].Path}, "equals come by path")
	hits, err = search.NewNameTable(documents, nil).Names(t.Context(), "render", 0)
	require.NoError(t, err)
	require.Empty(t, hits)
}

func TestNames_HeedsItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := search.NewNameTable(shop(), nil).Names(ctx, "header", 9)
	require.ErrorIs(t, err, context.Canceled)
}

// A name is found by itself, whatever it is made of, and nothing breaks.
func FuzzNames(f *testing.F) {
	for _, seed := range [][2]string{{"parseHTTPHeader", "phh"}, {"İstanbul", "i"}, {"\xff_\xfe", "\xff"}, {"ǅungla", "ǆ"}, {"a.b", "b"}, {"𝒳é", "É"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if name == "" {
			return
		}
		documents := []index.Document{{Path: "a", Outline: &codeintel.Outline{Symbols: []codeintel.Symbol{symbol(name, codeintel.Function)}}}}
		table := search.NewNameTable(documents, nil)
		_, err := table.Names(t.Context(), text, 5)
		require.NoError(t, err)
		if !strings.ContainsAny(name, ".#/: \t\n\r\v\f\x00\u0085\u00a0") && strings.ToLower(name) == name && len(strings.Fields(name)) == 1 {
			hits, err := table.Names(t.Context(), name, 5)
			require.NoError(t, err)
			require.Len(t, hits, 1, "%q", name)
		}
	})
}

func BenchmarkNames(b *testing.B) {
	var symbols []codeintel.Symbol
	for i := range 300 {
		symbols = append(symbols, symbol(fmt.Sprintf("parse%dHTTPHeaderOf", i), codeintel.Function))
	}
	documents := make([]index.Document, 1000)
	for i := range documents {
		documents[i] = index.Document{Path: fmt.Sprintf("%d.go", i), Outline: &codeintel.Outline{Symbols: symbols}}
	}
	table := search.NewNameTable(documents, nil)
	for _, text := range []string{"walrus", "parseHdr", "pho"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := table.Names(b.Context(), text, 100); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
