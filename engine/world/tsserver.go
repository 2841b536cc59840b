package world

import (
	"context"
	"encoding/json"
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

// tsserverAnswer is an answer to "rename" or "definition".
type tsserverAnswer struct {
	Command  string          `json:"command"`
	Sequence int             `json:"request_seq"`
	Success  bool            `json:"success"`
	Message  string          `json:"message"`
	Body     json.RawMessage `json:"body"`
}

// renamed is the body of the answer to "rename".
type renamed struct {
	Info struct {
		CanRename bool   `json:"canRename"`
		Why       string `json:"localizedErrorMessage"`
	} `json:"info"`
	Locs []struct {
		File string `json:"file"`
		Locs []loc  `json:"locs"`
	} `json:"locs"`
}

// tsserver renames a TypeScript or JavaScript identifier. It opens all files that contain the name, so that the server also
// knows files that no tsconfig.json joins. The server gets the end of its input only after its answers: it drops those that it has not written by then.
func tsserver(ctx context.Context, s Servers, r tool.Renaming) (tool.Renamed, error) {
	argv := s.installed(r.Path, "node_modules/typescript/lib/tsserver.js", []string{"tsserver", "--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"})
	if argv == nil && s.lent(r.Path, typescript7.lent) != "" {
		return typescript7.rename(ctx, s, r)
	}
	if argv == nil {
		return tool.Renamed{Why: "typescript is not installed in the project"}, nil
	}
	t := tsDialogue{Servers: s, dialogue: s.open(ctx, sandbox.Command{Argv: argv, Timeout: s.limit()}, nil)}
	defer t.close()
	done, err := t.rename(r)
	switch {
	case ctx.Err() != nil:
		return tool.Renamed{}, ctx.Err()
	case err != nil:
		return tool.Renamed{Why: t.failure("tsserver", s.limit(), err)}, nil
	}
	return done, nil
}

// tsDialogue is a running tsserver. It writes messages as servers of the Language Server Protocol do, and reads lines.
type tsDialogue struct {
	Servers
	*dialogue
}

// request sends a request, and returns its number.
func (t tsDialogue) request(command string, arguments any) (int, error) {
	t.asked++
	line, err := json.Marshal(serverMessage{Seq: t.asked, Type: "request", Command: command, Arguments: arguments})
	if err == nil {
		err = t.write(append(line, '\n'))
	}
	return t.asked, err
}

// ask sends a request, and waits for its answer.
func (t tsDialogue) ask(command string, arguments any) (a tsserverAnswer, err error) {
	n, err := t.request(command, arguments)
	for err == nil {
		var body []byte
		if body, err = t.heard.message(t.ended); err != nil {
			return a, err
		}
		if json.Unmarshal(body, &a) == nil && a.Command == command && a.Sequence == n {
			return a, nil
		}
		a = tsserverAnswer{}
	}
	return a, err
}

// rename opens the files, and asks for the places.
func (t tsDialogue) rename(r tool.Renaming) (done tool.Renamed, err error) {
	preferences := map[string]any{"preferences": map[string]bool{"providePrefixAndSuffixTextForRename": r.Local}}
	if _, err := t.request("configure", preferences); err != nil {
		return done, err
	}
	for _, name := range slices.Sorted(maps.Keys(r.Texts)) {
		if !codeintel.SameFamily(codeintel.LanguageOf(name), r.Language) {
			continue
		}
		if _, err := t.request("open", map[string]string{"file": t.abs(name)}); err != nil {
			return done, err
		}
	}
	at := placeOf(r.Texts[r.Path], r.At)
	a, err := t.ask("rename", map[string]any{"file": t.abs(r.Path), "line": at.Line, "offset": at.Offset, "findInComments": false, "findInStrings": false})
	if err != nil {
		return done, err
	}
	if !a.Success {
		return tool.Renamed{Why: "tsserver failed: " + firstLine(a.Message)}, nil
	}
	var answer renamed
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		return done, fmt.Errorf("understand its answer: %w", err)
	}
	if !answer.Info.CanRename {
		return tool.Renamed{By: "tsserver", Refused: answer.Info.Why}, nil
	}
	return t.finish("tsserver", r, t.changes(r, answer), t.knows)
}

// knows reports whether the server knows what a name means.
func (t tsDialogue) knows(path string, at location) (bool, error) {
	a, err := t.ask("definition", map[string]any{"file": t.abs(path), "line": at.Line, "offset": at.Offset})
	return string(a.Body) != "[]" && a.Success, err
}

func (t tsDialogue) abs(rel string) string {
	return filepath.Join(t.Tree.Dir(), filepath.FromSlash(rel))
}

// changes returns the changes of the server's answer, by path.
func (t tsDialogue) changes(r tool.Renaming, answer renamed) map[string][]change {
	all := map[string][]change{}
	for _, group := range answer.Locs {
		name := group.File
		if rel, inside := t.rel("", name); inside {
			name = rel
		}
		for _, l := range group.Locs {
			all[name] = append(all[name], change{l.Start, l.End, l.Prefix + r.To + l.Suffix})
		}
	}
	return all
}
