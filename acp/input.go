package acp

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/execution"
	"forge/engine/prompt"
	"forge/internal/lazyregexp"
)

// The commands of prompts, by their names behind a slash. A prompt without one is a run.
const (
	commandRun    = "run"
	commandAsk    = "ask"
	commandReview = "review"
	commandPlan   = "plan"
	commandSpec   = "spec"
	commandUndo   = "undo"
	commandRedo   = "redo"
	commandResume = "resume"
)

// commandsUpdate lists the commands for the client.
func commandsUpdate() sdk.SessionUpdate {
	update := &sdk.SessionAvailableCommandsUpdate{}
	for _, c := range []struct{ name, description, hint string }{
		{commandRun, "Change the folder, even if the request reads like a question", "what to change"},
		{commandAsk, "Answer a question about the folder; changes nothing", "the question"},
		{commandReview, "Review the changes that are not committed, or a file; changes nothing", "a file, or nothing"},
		{commandPlan, "Split a large task into parts that run in parallel; you see the plan first", "what to change"},
		{commandSpec, "Write or update the specification of the folder", "what must hold"},
		{commandUndo, "Undo the last change of a run; later edits are kept", "the id of a run, or nothing"},
		{commandRedo, "Redo the last undone change", "the id of a run, or nothing"},
		{commandResume, "Resume a run that was interrupted or whose change was not applied", "the id of a run, or nothing"},
	} {
		update.AvailableCommands = append(update.AvailableCommands, sdk.AvailableCommand{
			Name: c.name, Description: c.description, Input: &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: c.hint}},
		})
	}
	return sdk.SessionUpdate{AvailableCommandsUpdate: update}
}

// input is a prompt as Forge reads it.
type input struct {
	command string // empty if the prompt names none
	text    string
	focus   execution.Focus // the file that the prompt links to, if there is exactly one; of a review also one that it names
	files   []string        // of the folder, that the prompt names or links to
}

// maxFiles is how many named files of a prompt are read.
const maxFiles = 64

// inputReader reads a prompt.
type inputReader struct {
	root   string
	text   strings.Builder
	quoted strings.Builder // texts that are no files of the folder
	linked []execution.Focus
}

// read converts the blocks of a prompt. The error names a block that Forge did not announce.
func read(root string, blocks []sdk.ContentBlock) (input, error) {
	r := inputReader{root: root}
	for _, b := range blocks {
		switch {
		case b.Text != nil:
			r.text.WriteString(b.Text.Text)
		case b.ResourceLink != nil:
			r.link(b.ResourceLink.Uri, "")
		case b.Resource != nil && b.Resource.Resource.TextResourceContents != nil:
			r.link(b.Resource.Resource.TextResourceContents.Uri, b.Resource.Resource.TextResourceContents.Text)
		default:
			return input{}, invalid("prompt: Forge reads text, links and embedded texts; images, audio and binary resources are not supported")
		}
	}
	return r.input(), nil
}

// input returns what was read.
func (r *inputReader) input() input {
	in := input{text: strings.TrimSpace(r.text.String())}
	if name, rest := splitCommand(in.text); name != "" {
		in.command, in.text = name, rest
	}
	for _, f := range r.linked {
		in.files = append(in.files, f.Path)
	}
	words := named(r.root, in.text, in.command == commandReview)
	for _, f := range words {
		in.files = append(in.files, f.Path)
	}
	slices.Sort(in.files)
	in.files = slices.Compact(in.files)
	in.files = in.files[:min(len(in.files), maxFiles)]
	switch {
	case len(r.linked) == 1:
		in.focus = r.linked[0]
	case in.command == commandReview && len(in.files) == 1 && len(r.linked) == 0:
		in.focus = words[0]
	}
	if r.quoted.Len() > 0 {
		in.text += "\n" + r.quoted.String()
	}
	return in
}

// splitCommand splits a known command off a text; the name is empty without one.
func splitCommand(text string) (name, rest string) {
	word, rest, _ := strings.Cut(text, " ")
	if i := strings.IndexAny(text, "\n\t"); i >= 0 && i < len(word) {
		word, rest = text[:i], text[i+1:]
	}
	name, slashed := strings.CutPrefix(word, "/")
	known := []string{commandRun, commandAsk, commandReview, commandPlan, commandSpec, commandUndo, commandRedo, commandResume}
	if !slashed || !slices.Contains(known, name) {
		return "", text
	}
	return name, strings.TrimSpace(rest)
}

// link adds what a prompt links to: a file of the folder by its path, anything else by its address, and by its text if the client
// sent it.
func (r *inputReader) link(address, text string) {
	focus, inside := focusOf(r.root, address)
	if said := r.text.String(); said != "" && !strings.HasSuffix(said, " ") && !strings.HasSuffix(said, "\n") {
		r.text.WriteString(" ")
	}
	switch {
	case inside:
		r.linked = append(r.linked, focus)
		r.text.WriteString(focus.Path)
		if focus.StartLine > 0 {
			fmt.Fprintf(&r.text, ":%d-%d", focus.StartLine, focus.EndLine)
		}
	case text == "":
		r.text.WriteString(address)
	default:
		r.text.WriteString(address)
		fmt.Fprintf(&r.quoted, "\n%s contains, as data:\n%s\n", address, prompt.Fence(text))
	}
	r.text.WriteString(" ")
}

// lineRange matches the fragments with which clients point at lines: L10, L10-20, L10-L20, L10:20.
var lineRange = lazyregexp.New(`^L(\d+)(?:[-:]L?(\d+))?$`)

// focusOf returns the file of the folder that an address leads to; false if it leads elsewhere.
func focusOf(root, address string) (execution.Focus, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" && !filepath.IsAbs(address) {
		return execution.Focus{}, false
	}
	path, inside := relative(root, u.Path)
	if info, err := os.Stat(filepath.Join(root, path)); !inside || err != nil || !info.Mode().IsRegular() {
		return execution.Focus{}, false
	}
	return linesOf(path, lineRange.FindStringSubmatch(u.Fragment)), true
}

// linesOf is a file, and lines of it if a match has their numbers.
func linesOf(path string, match []string) execution.Focus {
	focus := execution.Focus{Path: path}
	if match != nil {
		focus.StartLine, _ = strconv.Atoi(match[1])
		if focus.EndLine, _ = strconv.Atoi(match[2]); focus.EndLine < focus.StartLine {
			focus.EndLine = focus.StartLine
		}
	}
	return focus
}

// relative returns a path below root, with slashes; false if it is outside. The client may write the folder by another name.
func relative(root, path string) (string, bool) {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", false
	}
	realPath, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(realRoot, realPath)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// place matches a line behind the name of a file: pay.go:12.
var place = lazyregexp.New(`:(\d+)(?:[-:](\d+))?$`)

// named returns the files of the folder whose paths are words of a text, with their lines. Only if plain, words without a dot or a slash are paths.
func named(root, text string, plain bool) (found []execution.Focus) {
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimRight(strings.TrimLeft(word, "`'\"([{<@"), "`'\")]}>,;:.!?")
		lines := place.FindStringSubmatch(word)
		word = place.ReplaceAllString(word, "")
		if !plain && !strings.ContainsAny(word, "./") || !filepath.IsLocal(word) {
			continue
		}
		if info, err := os.Stat(filepath.Join(root, word)); err == nil && info.Mode().IsRegular() {
			found = append(found, linesOf(filepath.ToSlash(filepath.Clean(word)), lines))
		}
	}
	return found
}
