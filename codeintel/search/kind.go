package search

import (
	"path"
	"strings"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

// kind says what a file is for. What a request wants to see is source, as a rule.
type kind uint8

const (
	kindSource kind = iota
	kindTest
	kindExample
	kindProse
	kindData
	kindGenerated // also what others wrote
)

// shares are what the score of a file is multiplied with, and what if the request speaks of its kind.
var shares = map[kind]struct{ plain, asked float64 }{
	kindSource: {1, 1}, kindTest: {0.2, 0.4}, kindExample: {0.2, 0.5}, kindProse: {0.15, 0.4}, kindData: {0.15, 0.4}, kindGenerated: {0.1, 0.1},
}

// askedBy are the words, by their stem, with which a request speaks of a kind.
var askedBy = map[kind]map[string]bool{
	kindTest:    stems("test tests testing spec specs coverage fixture benchmark flaky"),
	kindExample: stems("example examples demo playground sample"),
	kindProse:   stems("doc docs documentation readme changelog guide"),
	kindData:    stems("config configuration workflow json yaml toml dependency dependencies"),
}

var kindByFolder = map[string]kind{
	"test": kindTest, "tests": kindTest, "testing": kindTest, "__tests__": kindTest, "spec": kindTest, "specs": kindTest,
	"testdata": kindTest, "fixture": kindTest, "fixtures": kindTest, "mock": kindTest, "mocks": kindTest, "__mocks__": kindTest,
	"e2e": kindTest, "__snapshots__": kindTest, "bench": kindTest, "benchmark": kindTest, "benchmarks": kindTest,
	"example": kindExample, "examples": kindExample, "playground": kindExample, "demo": kindExample, "demos": kindExample, "samples": kindExample,
	"doc": kindProse, "docs": kindProse, "changelog": kindProse, "changelogs": kindProse, "changes": kindProse,
	"vendor": kindGenerated, "node_modules": kindGenerated, "third_party": kindGenerated, "dist": kindGenerated,
}

var (
	testName = lazyregexp.New(`_test\.\w+$|\.(spec|test)\.\w+$|(^|/)test_[^/]*\.(py|rb|lua|php|c|cc|cpp)$|(^|/)conftest\.py$|` +
		`[a-z](Test|Tests|Spec)\.(java|kt|scala|cs|swift|php)$`)
	generatedName = lazyregexp.New(`\.d\.[mc]?ts$|\.pb\.\w+$|_pb2\w*\.py$|\.min\.\w+$|(_generated|\.gen|_gen)\.\w+$|` +
		`[.-]lock(\.\w+)?$|(^|/)go\.sum$`)
)

// sourceEndings are those of source in languages that have no outline.
var sourceEndings = fields(".vue .svelte .astro .proto .graphql .dart .ex .exs .erl .hs .ml .clj .zig .nim .jl .r .m .mm .pl .pm " +
	".groovy .gradle .tf .hcl .html .css .scss .less .vim .el .fs .d .v .sol .cu .s .asm .awk .ps1 .bat .cmake .tmpl .tpl .j2")

func fields(text string) map[string]bool {
	all := map[string]bool{}
	for field := range strings.FieldsSeq(text) {
		all[field] = true
	}
	return all
}

func kindOf(name string, language codeintel.Language) kind {
	lower := strings.ToLower(name)
	for folder := range strings.SplitSeq(path.Dir(lower), "/") {
		if k, ok := kindByFolder[folder]; ok {
			return k
		}
	}
	switch {
	case testName.MatchString(name):
		return kindTest
	case generatedName.MatchString(lower):
		return kindGenerated
	case language == codeintel.LanguageMarkdown:
		return kindProse
	case language == codeintel.LanguageYAML, language == codeintel.LanguageTOML:
		return kindData
	case language == "" && !sourceEndings[path.Ext(lower)]:
		return kindData
	}
	return kindSource
}

// share is what the score of a file of a kind is multiplied with.
func (r *request) share(k kind) float64 {
	share := shares[k]
	for _, t := range r.terms {
		if askedBy[k][t.word] {
			return share.asked
		}
	}
	return share.plain
}

// IsTest reports whether the name of a file says that it has tests, or belongs to some.
func IsTest(path string) bool { return kindOf(path, codeintel.LanguageOf(path)) == kindTest }

// IsAside reports whether the name of a file says that it is an example, data, or what a program has written.
func IsAside(path string) bool {
	k := kindOf(path, codeintel.LanguageOf(path))
	return k == kindExample || k == kindData || k == kindGenerated
}
