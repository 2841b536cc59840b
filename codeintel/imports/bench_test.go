package imports

import (
	"fmt"
	"testing"

	"forge/codeintel"
)

// manyFiles makes a tree of 10,000 files, 20 a folder, each with 12 imports, of which two thirds lead somewhere.
func manyFiles(ending string, written func(folder, file int) codeintel.Import) []File {
	var files []File
	for i := range 10_000 {
		folder := i / 20
		file := File{Path: fmt.Sprintf("src/part%d/pkg%d/file%d%s", folder%10, folder, i%20, ending), Package: fmt.Sprint("pkg", folder)}
		file.Language = codeintel.LanguageOf(file.Path)
		for k := range 12 {
			file.Imports = append(file.Imports, written((folder*7+k*31)%750, (i+k)%20))
		}
		files = append(files, file)
	}
	return files
}

var manyImports = []struct {
	ending  string
	written func(folder, file int) codeintel.Import
}{
	{".go", func(folder, _ int) codeintel.Import {
		return codeintel.Import{Path: fmt.Sprintf("example.com/m/src/part%d/pkg%d", folder%10, folder)}
	}},
	{".py", func(folder, file int) codeintel.Import {
		return codeintel.Import{Path: fmt.Sprintf("part%d.pkg%d", folder%10, folder), Names: []string{fmt.Sprint("file", file), "Name"}}
	}},
	{".ts", func(folder, file int) codeintel.Import {
		return codeintel.Import{Path: fmt.Sprintf("@/part%d/pkg%d/file%d", folder%10, folder, file)}
	}},
	{".rs", func(folder, file int) codeintel.Import {
		return codeintel.Import{Path: fmt.Sprintf("crate::part%d::pkg%d::file%d::Item", folder%10, folder, file)}
	}},
	{".java", func(folder, file int) codeintel.Import {
		return codeintel.Import{Path: fmt.Sprintf("pkg%d.file%d", folder, file)}
	}},
	{".c", func(folder, file int) codeintel.Import {
		return codeintel.Import{Path: fmt.Sprintf("pkg%d/file%d.c", folder, file)}
	}},
}

func BenchmarkResolve(b *testing.B) {
	read := reader(map[string][]byte{
		"go.mod":        []byte("module example.com/m"),
		"Cargo.toml":    []byte("[package]\nname = 'm'\n[lib]\npath = 'src/part0/pkg0/file0.rs'"),
		"tsconfig.json": []byte(`{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}`),
	})
	for _, language := range manyImports {
		files := manyFiles(language.ending, language.written)
		b.Run(language.ending, func(b *testing.B) {
			for b.Loop() {
				Resolve(files, read)
			}
		})
		g := Resolve(files, read)
		b.Run(language.ending+"/with", func(b *testing.B) {
			for b.Loop() {
				g = g.With(files[len(files)/2])
			}
		})
	}
}
