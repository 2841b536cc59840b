package world

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"forge/codeintel"
	"forge/engine/sandbox"
	"forge/engine/tool"
)

// serverMessage is a request to tsserver: a line of its input.
type serverMessage struct {
	Seq       int    `json:"seq"`
	Type      string `json:"type"`
	Command   string `json:"command"`
	Arguments any    `json:"arguments,omitempty"`
}

// location is a place in a text of tsserver: line and column from 1, in units of UTF-16.
type location struct {
	Line   int `json:"line"`
	Offset int `json:"offset"`
}

// loc is an occurrence of the name, with the text to put around the new one.
type loc struct {
	Start  location `json:"start"`
	End    location `json:"end"`
	Prefix string   `json:"prefixText"`
	Suffix string   `json:"suffixText"`
}

// renamed is the answer to "rename".
type renamed struct {
	Command string `json:"command"`
	Success bool   `json:"success"`
	Message string `json:"message"`
	Body    struct {
		Info struct {
			CanRename bool   `json:"canRename"`
			Why       string `json:"localizedErrorMessage"`
		} `json:"info"`
		Locs []struct {
			File string `json:"file"`
			Locs []loc  `json:"locs"`
		} `json:"locs"`
	} `json:"body"`
}

// tsserver renames a TypeScript or JavaScript identifier. It opens all files that contain the name, so that the server also
// knows files that no tsconfig.json joins.
func tsserver(ctx context.Context, s Servers, r tool.Renaming) (tool.Renamed, error) {
	argv := s.typescript(r.Path)
	if argv == nil {
		return tool.Renamed{Why: "typescript is not installed in the project"}, nil
	}
	result, err := s.start(ctx, sandbox.Command{Argv: argv, Stdin: bytes.NewReader(s.conversation(r)), Timeout: loading, MaxOutput: 64 << 20})
	var missing *sandbox.NotStartedError
	switch {
	case ctx.Err() != nil:
		return tool.Renamed{}, ctx.Err()
	case errors.As(err, &missing):
		return tool.Renamed{Why: missing.Error()}, nil
	case err != nil:
		return tool.Renamed{}, err
	case result.TimedOut || result.Truncated:
		return tool.Renamed{Why: fmt.Sprintf("tsserver did not answer within %v", loading)}, nil
	}
	answer, found := answerTo(result.Stdout)
	switch {
	case !found:
		return tool.Renamed{Why: "tsserver did not answer: " + firstLine(string(result.Stderr))}, nil
	case !answer.Success:
		return tool.Renamed{Why: "tsserver failed: " + firstLine(answer.Message)}, nil
	case !answer.Body.Info.CanRename:
		return tool.Renamed{By: "tsserver", Refused: answer.Body.Info.Why}, nil
	}
	return s.written(r, answer)
}

// typescript returns the command of a project's server: the one in node_modules of a folder above a file, or the one on PATH. A
// server among the files of the tree itself is not started: a model may have written it.
func (s Servers) typescript(file string) []string {
	flags := []string{"--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"}
	tree, err := filepath.EvalSymlinks(s.Tree.Dir())
	if err != nil {
		return nil
	}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		program := filepath.Join(tree, filepath.FromSlash(dir), "node_modules", "typescript", "lib", "tsserver.js")
		if real, err := filepath.EvalSymlinks(program); err == nil {
			if rel, err := filepath.Rel(tree, real); err != nil || !filepath.IsLocal(rel) {
				return append([]string{"node", real}, flags...)
			}
		}
		if dir == "." {
			break
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if info, err := os.Stat(filepath.Join(dir, "tsserver")); err == nil && info.Mode().IsRegular() {
			return append([]string{"tsserver"}, flags...)
		}
	}
	return nil
}

// conversation returns all requests to the server. It answers in order, so none has to wait for an answer.
func (s Servers) conversation(r tool.Renaming) []byte {
	var b bytes.Buffer
	n := 0
	say := func(command string, arguments any) {
		n++
		line, _ := json.Marshal(serverMessage{Seq: n, Type: "request", Command: command, Arguments: arguments}) // strings and numbers
		b.Write(append(line, '\n'))
	}
	abs := func(rel string) string { return filepath.Join(s.Tree.Dir(), filepath.FromSlash(rel)) }
	say("configure", map[string]any{"preferences": map[string]bool{"providePrefixAndSuffixTextForRename": r.Local}})
	for _, name := range slices.Sorted(maps.Keys(r.Texts)) {
		if codeintel.SameFamily(codeintel.LanguageOf(name), r.Language) {
			say("open", map[string]string{"file": abs(name)})
		}
	}
	at := placeOf(r.Texts[r.Path], r.At)
	say("rename", map[string]any{"file": abs(r.Path), "line": at.Line, "offset": at.Offset, "findInComments": false, "findInStrings": false})
	say("exit", nil)
	return b.Bytes()
}

// answerTo finds the answer to "rename" in the server's output.
func answerTo(output []byte) (answer renamed, found bool) {
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("{")) {
			continue
		}
		var a renamed
		if json.Unmarshal(line, &a) == nil && a.Command == "rename" {
			return a, true
		}
	}
	return answer, false
}

// written applies the places of the server's answer to the texts.
func (s Servers) written(r tool.Renaming, answer renamed) (tool.Renamed, error) {
	done := tool.Renamed{By: "tsserver", After: map[string]string{}}
	for _, group := range answer.Body.Locs {
		rel, inside := s.rel("", group.File)
		text, known := r.Texts[rel]
		if !inside || !known {
			return tool.Renamed{By: "tsserver", Refused: fmt.Sprintf("it would change %s, which is not a file of the folder that contains the name", path.Base(group.File))}, nil
		}
		done.After[rel] = putAt(text, r.To, group.Locs)
	}
	return done, nil
}

// putAt replaces the name at places of a text.
func putAt(text, to string, locs []loc) string {
	locs = slices.Clone(locs)
	slices.SortFunc(locs, func(a, b loc) int {
		return cmp.Or(cmp.Compare(a.Start.Line, b.Start.Line), cmp.Compare(a.Start.Offset, b.Start.Offset))
	})
	var b strings.Builder
	from := 0
	for _, l := range locs {
		start, end := byteOf(text, l.Start), byteOf(text, l.End)
		if start < from || end < start {
			continue // a duplicate place
		}
		b.WriteString(text[from:start] + l.Prefix + to + l.Suffix)
		from = end
	}
	b.WriteString(text[from:])
	return b.String()
}

// placeOf converts a byte offset of a text to the server's units.
func placeOf(text string, at int) location {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	return location{Line: codeintel.LineAt(text, at), Offset: 1 + len(utf16.Encode([]rune(text[start:at])))}
}

// byteOf converts a place of the server to a byte offset of the text.
func byteOf(text string, l location) int {
	at := 0
	for range l.Line - 1 {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return len(text)
		}
		at += next + 1
	}
	units := l.Offset - 1
	for i, r := range text[at:] {
		if units <= 0 {
			return at + i
		}
		units -= utf16.RuneLen(r)
	}
	return len(text)
}
