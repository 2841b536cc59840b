package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// workspace is the small Go module both servers are measured in.
type workspace struct {
	root string
	text string // of openFile
}

// openFile is the document that is open in the editor.
const openFile = "shapes0.go"

// The size of the workspace: about 2,000 lines.
const (
	workspaceFiles  = 8
	functionsInFile = 24
	linesOfHeader   = 6 // before the first of them
)

// newWorkspace writes the module into an empty folder.
func newWorkspace(root string) (workspace, error) {
	files := map[string]string{"go.mod": "module bench\n\ngo 1.24\n"}
	for i := range workspaceFiles {
		files[fmt.Sprintf("shapes%d.go", i)] = source(i)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			return workspace{}, fmt.Errorf("write the workspace: %w", err)
		}
	}
	return workspace{root: root, text: files[openFile]}, nil
}

// source is one file of the workspace: functions that call each other and the standard library.
func source(file int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "package bench\n\nimport \"fmt\"\n\nfunc %s%d() {}\n\n", typedName, file)
	for i := range functionsInFile {
		fmt.Fprintf(&b, "// Area%[1]d_%[2]d returns an area and its text.\nfunc Area%[1]d_%[2]d(width, height int) (int, string) {\n"+
			"\tarea := width * height\n\tif area < 0 {\n\t\tarea = -area\n\t}\n", file, i)
		if i > 0 {
			fmt.Fprintf(&b, "\tbefore, _ := Area%d_%d(height, width)\n\tarea += before\n", file, i-1)
		}
		b.WriteString("\treturn area, fmt.Sprint(area)\n}\n\n")
	}
	return b.String()
}

// uri is the URI of a file of the workspace, or with "" of its folder.
func (w workspace) uri(name string) string {
	path := filepath.ToSlash(filepath.Join(w.root, name))
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// document names the open document in a request.
func (w workspace) document() map[string]any { return map[string]any{"uri": w.uri(openFile)} }

// selection is the body of the first function.
func (w workspace) selection() map[string]any { return span(linesOfHeader+2, 1, linesOfHeader+5, 2) }

// span is a range of positions, which count from 0.
func span(startLine, startCharacter, endLine, endCharacter int) map[string]any {
	at := func(line, character int) map[string]any { return map[string]any{"line": line, "character": character} }
	return map[string]any{"start": at(startLine, startCharacter), "end": at(endLine, endCharacter)}
}
