package golang

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// goFiles gives the Go files of a folder that go fmt would format and that were not generated, sorted. Symbolic
// links are not followed.
func goFiles(dir string) ([]string, error) {
	tree := os.DirFS(dir)
	var files []string
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && skipped(entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		ours, err := isOurs(tree, path)
		if ours {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// isOurs reports whether go fmt would format a path and the file was not generated.
func isOurs(tree fs.FS, file string) (bool, error) {
	folders := strings.Split(path.Dir(file), "/")
	if path.Ext(file) != ".go" || strings.HasPrefix(path.Base(file), ".") || folders[0] != "." && slices.ContainsFunc(folders, skipped) {
		return false, nil
	}
	generated, err := isGenerated(tree, file)
	return err == nil && !generated, err
}

// skipped tells the folders the go command does not look into.
func skipped(name string) bool {
	return name == "testdata" || name == "vendor" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// generatedBy is the line that marks a generated file, as https://go.dev/s/generatedcode defines it.
var generatedBy = lazyregexp.New(`^// Code generated .* DO NOT EDIT\.$`)

// isGenerated looks for the mark before the package clause.
func isGenerated(tree fs.FS, path string) (bool, error) {
	file, err := tree.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		line := strings.TrimSuffix(scanner.Text(), "\r")
		if generatedBy.MatchString(line) {
			return true, nil
		}
		if strings.HasPrefix(line, "package ") {
			return false, nil
		}
	}
	return false, nil // a line too long for a head comment is no mark
}
