package repomap_test

import (
	"fmt"
	"strings"
	"testing"

	"forge/codeintel/repomap"
)

// largeFolder is as many files as the source of Go has, each with twelve functions and six imports.
func largeFolder() (*fakeView, importsOf, repomap.Request) {
	const files = 7_700
	texts, imports := make(map[string]string, files), importsOf{}
	name := func(i int) string { return fmt.Sprintf("p%03d/file%04d.go", i/20, i) }
	request := repomap.Request{Text: "read the header of a closed response", Budget: 8_000}
	for i := range files {
		var b strings.Builder
		b.WriteString("package p\n")
		for j := range 12 {
			fmt.Fprintf(&b, "func ReadHeader%dOf%d(response Response, closed bool) (header Header%d, err error) {\n}\n", j, i, i*7%files)
		}
		texts[name(i)] = b.String()
		for j := range 6 {
			imports[name(i)] = append(imports[name(i)], name((i*(j+3)+j*j)%files))
		}
		if i%38 == 0 {
			request.Hits = append(request.Hits, hits(name(i))...)
		}
	}
	return viewOf(texts), imports, request
}

func BenchmarkLargeFolder(b *testing.B) {
	v, imports, request := largeFolder()
	mapper := repomap.NewMapper(v, imports)
	b.Run("map of 200 hits", func(b *testing.B) {
		for b.Loop() {
			mapper.Map(request)
		}
	})
	few := request
	few.Hits = request.Hits[:20]
	b.Run("map of 20 hits, others by their imports", func(b *testing.B) {
		for b.Loop() {
			mapper.Map(few)
		}
	})
	few.Targets, few.Budget = []string{request.Hits[0].Path}, 100_000
	b.Run("pack", func(b *testing.B) {
		for b.Loop() {
			mapper.Pack(few)
		}
	})
	b.Run("first map of a view", func(b *testing.B) {
		for b.Loop() {
			repomap.NewMapper(v, imports).Map(request)
		}
	})
}
