package golang

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// listings are the packages of trees as they were listed last, by folder: in a large module that takes seconds, and each gate wants to know.
type listings struct {
	perTree[[]listed]
	heads perTree[string] // of files, by path
}

// stateOf is a digest of all that packages are listed by: the names of a tree's files, what files of Go say before their first declaration and of
// what they embed, and modules and whatever else says how the go command works. Folders that it does not look at are left out.
func (l *listings) stateOf(dir string) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the go command says what is wrong
		}
		if name := entry.Name(); entry.IsDir() && path != dir && (strings.HasPrefix(name, ".") || name == "node_modules") {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			_, _ = fmt.Fprintf(sum, "%s %v %s\n", path, info.Mode().Type(), l.said(path, info)) // a hash takes everything
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))
}

// said is what of a file's text packages are listed by, as a digest.
func (l *listings) said(path string, info fs.FileInfo) string {
	if ext := filepath.Ext(path); ext != ".go" && !isModuleFile(filepath.ToSlash(path)) && filepath.Base(path) != "modules.txt" {
		return ""
	}
	stamp := fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	if said, is := l.heads.of(path, stamp); is {
		return said
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	if filepath.Ext(path) == ".go" {
		text = head(text)
	}
	digest := sha256.Sum256(text)
	said := hex.EncodeToString(digest[:])
	l.heads.keep(path, stamp, said)
	return said
}

// head is what stands in a file of Go before its first declaration that is no import, and the lines that say what it embeds: all of a file that
// cannot be parsed so far.
func head(text []byte) []byte {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.ImportsOnly)
	if err != nil {
		return text
	}
	end := file.Name.End()
	for _, decl := range file.Decls {
		end = max(end, decl.End())
	}
	says := bytes.Clone(text[:set.PositionFor(end, false).Offset])
	if !bytes.Contains(text, []byte("//go:embed")) {
		return says
	}
	for line := range bytes.Lines(text) {
		if bytes.Contains(line, []byte("//go:embed")) {
			says = append(says, line...)
		}
	}
	return says
}
