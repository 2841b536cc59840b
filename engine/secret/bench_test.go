package secret

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"go/build"
	"os"
	"path/filepath"

	"strings"
	"testing"
)

// sources are texts of Go's own library, about so many bytes together, as a prompt shows them.
func sources(tb testing.TB, size int, folders ...string) string {
	tb.Helper()
	var b strings.Builder
	for _, folder := range folders {
		_ = filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src", folder), func(name string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".go") && b.Len() < size {
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(&b, "\n\n## %s\n\n```\n%s\n```", filepath.Base(name), text)
			}
			return nil
		})
	}
	return b.String()[:min(size, b.Len())]
}

// tokens are values that look random and are always the same.
func tokens(n int) (all []Value) {
	for i := range n {
		sum := sha256.Sum256(fmt.Append(nil, "token", i))
		all = append(all, Value{fmt.Sprintf("TOKEN_%d", i), base64.RawURLEncoding.EncodeToString(sum[:])})
	}
	return all
}

// BenchmarkBench_Known is what 100 known values cost a prompt of 400 kB.
func BenchmarkBench_Known(b *testing.B) {
	text := sources(b, 400_000, "net")
	r := New()
	r.Learn(tokens(100)...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.exact.find(text)
	}
}

// BenchmarkBench_Patterns is the cost of the rules for an unknown prompt.
func BenchmarkBench_Patterns(b *testing.B) {
	text := sources(b, 400_000, "net")
	rules().match("", text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		rules().match("", text)
	}
}

// BenchmarkBench_Prompt is what a prompt of 400 kB costs whose files were in one before.
func BenchmarkBench_Prompt(b *testing.B) {
	text := sources(b, 400_000, "net")
	r := New()
	r.Learn(tokens(100)...)
	b.SetBytes(int64(len(text)))
	i := 0
	for b.Loop() {
		i++
		r.Plain(text + fmt.Sprint("\n\n## Task\n\nthe task ", i))
	}
}

// BenchmarkBench_Blank is what it costs to keep secrets out of the index of a folder.
func BenchmarkBench_Blank(b *testing.B) {
	text := []byte(sources(b, 400_000, "net"))
	r := New()
	r.Learn(tokens(20)...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Blank("x.go", text)
	}
}
