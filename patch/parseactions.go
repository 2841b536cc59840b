package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The additional actions of an action list.
const (
	actionPatch  Action = "patch"  // content is hunks, or a V4A patch or unified diff of this file only
	actionMove   Action = "move"   // moves the file to the path "to"
	actionRename Action = "rename" // the same
)

// knownActions lists the actions for messages.
const knownActions = "create, write, update, patch, move (or rename) and delete"

// ParseActions parses an action list in a text: a JSON array of objects
//
//	{"path": "a.txt", "action": "create", "content": "whole text"}
//
// or one such object, or an object with the array as "actions" or "files". It begins a line of the text; prose and code fences around
// it and unknown fields are ignored.
//
//	create         content is the text of a new file
//	write, update  content is the whole text of a new or existing file
//	patch          content is hunks of V4A, with or without the markers around them, or a unified diff
//	               of the file at path; with "to" the file is moved as well
//	move, rename   moves the file to the path "to"
//	delete         deletes the file
//
// Several patches of one file are combined. The error is an *ActionError about an entry, or a *ParseError.
func ParseActions(text string) (Patch, error) {
	list, err := findActions(text)
	if err != nil {
		return Patch{}, err
	}
	var p Patch
	for i, raw := range list {
		a, failed := readAction(raw)
		if failed == nil {
			var op FileOp
			if op, failed = a.op(); failed == nil {
				p.Ops = append(p.Ops, op)
				continue
			}
		}
		failed.Number, failed.Path = i+1, a.path
		return Patch{}, failed
	}
	return p, nil
}

// ActionError reports the invalid entry of an action list, and why it is invalid.
type ActionError struct {
	Number int // from 1, in the list
	Path   string
	Cause  string
	Err    error // the *PathError behind it, or nil
}

func (e *ActionError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("action %d: %s", e.Number, e.Cause)
	}
	return fmt.Sprintf("action %d (%q): %s", e.Number, Clip(e.Path, pathRunes), e.Cause)
}

// Unwrap returns the error behind the cause, if there is one.
func (e *ActionError) Unwrap() error { return e.Err }

func wrongAction(format string, args ...any) *ActionError {
	return &ActionError{Cause: fmt.Sprintf(format, args...)}
}

// action is an entry of an action list.
type action struct {
	path, to string
	does     Action
	content  *string // nil if missing
}

// readAction parses an entry. With an error, it returns the fields that it could parse.
func readAction(raw json.RawMessage) (action, *ActionError) {
	var a action
	fields, wrong := readObject(raw)
	found := map[string]*string{}
	for _, name := range []string{"path", "action", "to", "content"} {
		text, cause := readText(fields[name])
		if cause != "" {
			return a, wrongAction("its %s %s", name, cause)
		}
		if text != nil && name == "path" {
			a.path = *text
		}
		found[name] = text
	}
	switch {
	case wrong != "":
		return a, wrongAction("%s", wrong)
	case found["path"] == nil:
		return a, wrongAction(`it has no path: write {"path": …, "action": …}`)
	case found["action"] == nil:
		return a, wrongAction("it has no action: want one of %s", knownActions)
	}
	if to := found["to"]; to != nil {
		a.to = *to
	}
	a.does, a.content = Action(strings.ToLower(strings.TrimSpace(*found["action"]))), found["content"]
	return a, a.checkPaths()
}

// checkPaths normalises and checks both paths.
func (a *action) checkPaths() *ActionError {
	named := []*string{&a.path}
	if a.to != "" {
		named = append(named, &a.to)
	}
	for _, name := range named {
		path := plainPath(*name)
		if err := CheckPath(path); err != nil {
			return &ActionError{Cause: err.Error(), Err: err}
		}
		*name = path
	}
	if a.path == a.to {
		return wrongAction("it is moved to its own path")
	}
	return nil
}

// op converts an entry to an operation.
func (a action) op() (FileOp, *ActionError) {
	switch a.does {
	case ActionCreate, ActionWrite, ActionUpdate:
		return a.whole()
	case actionPatch:
		return a.patched()
	case actionMove, actionRename:
		return a.moved()
	case ActionDelete:
		if a.to != "" || a.hasContent() {
			return FileOp{}, wrongAction("a file that is deleted has neither content nor to: leave them out")
		}
		return FileOp{Kind: Delete, Path: a.path}, nil
	}
	return FileOp{}, wrongAction("action %q is unknown: want one of %s", Clip(string(a.does), shownRunes), knownActions)
}

// hasContent reports whether the entry has content; empty content may only be a default of the field.
func (a action) hasContent() bool { return a.content != nil && *a.content != "" }

// whole returns a whole text. Missing content is not an empty text: it may be in a field with another name.
func (a action) whole() (FileOp, *ActionError) {
	switch {
	case a.content == nil:
		return FileOp{}, wrongAction(`it has no content: give the whole text of the file, "" for an empty one`)
	case a.to != "":
		return FileOp{}, wrongAction("to goes with move and with patch only: move the file, or delete it and write another")
	}
	return FileOp{Kind: Create, Path: a.path, Content: *a.content, Write: a.does != ActionCreate}, nil
}

func (a action) moved() (FileOp, *ActionError) {
	switch {
	case a.to == "":
		return FileOp{}, wrongAction("it has no destination: give a path as to")
	case a.hasContent():
		return FileOp{}, wrongAction("a file that is moved has no content: use the action patch, with to, to change it as well")
	}
	return FileOp{Kind: Move, Path: a.path, To: a.to}, nil
}

// patched combines the operations in the content of a patch action to one.
func (a action) patched() (FileOp, *ActionError) {
	if a.content == nil {
		return FileOp{}, wrongAction("it has no content: %s", contentHelp)
	}
	parts, err := parseContent(a.path, *a.content)
	if failed, ok := errors.AsType[*ParseError](err); ok {
		return FileOp{}, &ActionError{Cause: fmt.Sprintf("line %d of its content: %s", failed.Line, failed.Cause), Err: failed.Err}
	}
	op := FileOp{Path: a.path, To: a.to}
	for _, part := range parts {
		switch {
		case part.Kind == Create || part.Kind == Delete:
			return FileOp{}, wrongAction("its content is to %s %s: that is a separate action, not a patch", part.Kind, Clip(part.Path, shownRunes))
		case part.Path != a.path:
			return FileOp{}, wrongAction("its content changes another file, %s: give that file its own entry", Clip(part.Path, shownRunes))
		case part.To != "" && op.To != "" && part.To != op.To:
			return FileOp{}, wrongAction("it is moved to two places, %s and %s: name one", Clip(op.To, shownRunes), Clip(part.To, shownRunes))
		case part.To != "":
			op.To = part.To
		}
		op.Hunks = append(op.Hunks, part.Hunks...)
	}
	if op.To != "" {
		op.Kind = Move
	}
	return op, nil
}
