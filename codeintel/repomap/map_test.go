package repomap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
)

func TestTokens_AreCounted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "éééé": 1, "漢字漢字漢": 2} {
		require.Equal(t, want, repomap.Tokens(text), text)
	}
}

func hits(paths ...string) []search.Hit {
	var all []search.Hit
	for _, path := range paths {
		all = append(all, search.Hit{Path: path})
	}
	return all
}

var shop = map[string]string{
	"cart/cart.go": `package cart
type Cart struct { items []Item }
func (c *Cart) Add(item Item, count int) error { return nil }
func (c *Cart) Remove(item Item) {}
func (c *Cart) Total() Price { return 0 }
const maxItems = 99
`,
	"cart/item.go":     "package cart\ntype Item struct{ name string }\n",
	"pay/pay.go":       "package pay\nfunc Charge(card string, price Price) error { return nil }\nfunc Refund(id string) {}\n",
	"pay/price.go":     "package pay\ntype Price int\n",
	"main.go":          "package main\nfunc main() {}\n",
	"README.md":        "# Shop\n",
	"other/far/far.go": "package far\nfunc Far() {}\n",
}

var shopImports = importsOf{
	"main.go": {"cart/cart.go", "pay/pay.go"}, "cart/cart.go": {"cart/item.go", "pay/price.go"}, "pay/pay.go": {"pay/price.go"},
}

func TestMap_HasFilesWithTheirSymbols(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		request repomap.Request
		want    string
	}{
		{"nothing for nothing", repomap.Request{Hits: hits("main.go")}, ""},
		{"not even a path fits", repomap.Request{Budget: 1}, ""},
		{"what search found comes first, then what is near", repomap.Request{Hits: hits("pay/pay.go"), Budget: 1000}, `pay/pay.go
  Charge(card string, price Price) error
  Refund(id string)
pay/price.go
  type Price int
main.go
  main()
cart/cart.go
  struct Cart
  Cart.items []Item
  Cart.Add(item Item, count int) error
  Cart.Remove(item Item)
  Cart.Total() Price
  const maxItems
cart/item.go
  struct Item
  Item.name string
README.md
other/far/far.go
  Far()
`},
		{"open files count as found", repomap.Request{Open: []string{"main.go"}, Budget: 25}, `main.go
  main()
cart/cart.go
  Cart, Add, Total
pay/pay.go
  Charge, Refund
pay/price.go
  Price
`},
		{"names that are asked for come first", repomap.Request{Text: "refund", Hits: hits("pay/pay.go"), Budget: 5}, "pay/pay.go\n  Refund\n"},
		{"others do else", repomap.Request{Text: "charge", Hits: hits("pay/pay.go"), Budget: 5}, "pay/pay.go\n  Charge\n"},
		{"search knows a symbol", repomap.Request{
			Hits: hits("cart/cart.go"), Budget: 6,
			Symbols: []search.SymbolHit{{Path: "cart/cart.go", Symbol: codeintel.Symbol{Name: "maxItems"}}},
		}, "cart/cart.go\n  maxItems\n"},
		{"what is not there is not shown", repomap.Request{Hits: hits("gone.go", "main.go"), Open: []string{"x"}, Budget: 4}, "main.go\n  main\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := repomap.NewMapper(viewOf(shop), shopImports).Map(test.request)
			require.Empty(t, cmp.Diff(test.want, got.Text))
			require.Equal(t, repomap.Tokens(got.Text), got.Tokens)
		})
	}
}

// TestMap_ByLines finds a symbol whose name says nothing by the words in its lines.
func TestMap_ByLines(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	source.WriteString("package p\n")
	for i := range 9 {
		body := strings.Repeat("\tstep()\n", 30)
		if i == 6 {
			body += "\t// retries while the socket is busy\n"
		}
		fmt.Fprintf(&source, "func f%d() {\n%s}\n", i, body)
	}
	mapper := repomap.NewMapper(viewOf(map[string]string{"p.go": source.String(), "q.go": "package q\n"}), nil)
	request := repomap.Request{Text: "busy socket", Hits: hits("p.go"), Budget: 3}
	require.Equal(t, "p.go\n  f6\n", mapper.Map(request).Text)
	request.Text = "something else"
	require.Equal(t, "p.go\n  f0\n", mapper.Map(request).Text)
}

// drawnView is a random view with random imports.
func drawnView(t *rapid.T) (*fakeView, importsOf) {
	texts, imports := map[string]string{}, importsOf{}
	word := rapid.SampledFrom([]string{"Open", "Close", "readFile", "x", "Größe", "parseHTTPRequest", "VeryLongNameOfSomethingThatIsHardToName"})
	for i := range rapid.IntRange(0, 30).Draw(t, "files") {
		path := fmt.Sprintf("%s/%d.%s", rapid.SampledFrom([]string{"a", "a/b", "straße"}).Draw(t, "folder"), i, rapid.SampledFrom([]string{"go", "txt"}).Draw(t, "ending"))
		text := "package p\n"
		for _, name := range rapid.SliceOfN(word, 0, 12).Draw(t, "names") {
			text += fmt.Sprintf("func %s%d(%s int) {}\n", name, rapid.IntRange(0, 3).Draw(t, "n"), word.Draw(t, "parameter"))
		}
		texts[path] = text
	}
	v := viewOf(texts)
	for _, from := range v.documents {
		for range rapid.IntRange(0, 3).Draw(t, "imports") {
			imports[from.Path] = append(imports[from.Path], rapid.SampledFrom(v.documents).Draw(t, "to").Path)
		}
	}
	return v, imports
}

func drawnRequest(t *rapid.T, v *fakeView) repomap.Request {
	request := repomap.Request{Text: rapid.SampledFrom([]string{"", "open", "parse a http request", "close file x"}).Draw(t, "text")}
	for range rapid.IntRange(0, 5).Draw(t, "hits") {
		if len(v.documents) > 0 {
			request.Hits = append(request.Hits, search.Hit{Path: rapid.SampledFrom(v.documents).Draw(t, "hit").Path})
		}
	}
	for _, hit := range request.Hits {
		if rapid.Bool().Draw(t, "open") {
			request.Open = append(request.Open, hit.Path)
		}
	}
	return request
}

// shown is what a map shows: each path, and below it each name.
func shown(m repomap.Map) []string {
	var all []string
	path := ""
	for line := range strings.Lines(m.Text) {
		if !strings.HasPrefix(line, "  ") {
			path = strings.TrimSpace(line)
			all = append(all, path)
			continue
		}
		for name := range strings.SplitSeq(strings.TrimSpace(line), ", ") {
			name, _, _ = strings.Cut(name, "(")
			all = append(all, path+" "+name)
		}
	}
	return all
}

func TestMap_FitsAndGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, imports := drawnView(t)
		request := drawnRequest(t, v)
		mapper := repomap.NewMapper(v, imports)
		budget := rapid.OneOf(rapid.IntRange(0, 300), rapid.IntRange(0, 20_000))
		request.Budget = budget.Draw(t, "budget")
		small := mapper.Map(request)
		require.LessOrEqual(t, small.Tokens, request.Budget)
		require.Equal(t, repomap.Tokens(small.Text), small.Tokens)
		require.Equal(t, small, repomap.NewMapper(v, imports).Map(request), "the same request gives the same map")

		request.Budget += budget.Draw(t, "more")
		large := mapper.Map(request)
		require.LessOrEqual(t, large.Tokens, request.Budget)
		require.Subset(t, shown(large), shown(small), "more room never shows less")
		if request.Budget >= 20_000 {
			require.Len(t, append(slices.Clone(large.Files), large.Paths...), len(v.documents), "all of it fits")
		}
	})
}
