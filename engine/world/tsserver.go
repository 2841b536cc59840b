package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

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
	argv := s.installed(r.Path, "node_modules/typescript/lib/tsserver.js", []string{"tsserver", "--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"})
	if argv == nil && s.lent(r.Path, typescript7.lent) != "" {
		return typescript7.rename(ctx, s, r)
	}
	if argv == nil {
		return tool.Renamed{Why: "typescript is not installed in the project"}, nil
	}
	result, err := s.start(ctx, sandbox.Command{Argv: argv, Stdin: bytes.NewReader(s.conversation(r)), Timeout: s.limit(), MaxOutput: 64 << 20})
	var missing *sandbox.NotStartedError
	switch {
	case ctx.Err() != nil:
		return tool.Renamed{}, ctx.Err()
	case errors.As(err, &missing):
		return tool.Renamed{Why: missing.Error()}, nil
	case err != nil:
		return tool.Renamed{}, err
	case result.TimedOut || result.Truncated:
		return tool.Renamed{Why: fmt.Sprintf("tsserver did not answer within %v", s.limit())}, nil
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
	all := map[string][]change{}
	for _, group := range answer.Body.Locs {
		name := group.File
		if rel, inside := s.rel("", name); inside {
			name = rel
		}
		for _, l := range group.Locs {
			all[name] = append(all[name], change{l.Start, l.End, l.Prefix + r.To + l.Suffix})
		}
	}
	return s.applied("tsserver", r, all), nil
}
