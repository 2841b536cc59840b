package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// The actions that an action list has beyond those of a file list.
const (
	actionPatch  Action = "patch"  // content is hunks, or a V4A patch or unified diff of this file alone
	actionMove   Action = "move"   // the file goes to the path "to" as it is
	actionRename Action = "rename" // the same
)

// knownActions is the list for messages.
const knownActions = "create, write, update, patch, move (or rename) and delete"

// ParseActions reads an action list out of a text: a JSON array of objects
//
//	{"path": "a.txt", "action": "create", "content": "whole text"}
//
// one such object alone, or an object that has the array as "actions" or "files". It begins a line of
// the text; prose and code fences around it are passed over, unknown fields are ignored.
//
//	create         content is the text of a file that is not there
//	write, update  content is the whole text of a file, whether it is there or not
//	patch          content is hunks of V4A, with or without its markers around them, or a unified diff;
//	               what it names is path; with "to" the file is moved as well
//	move, rename   the file goes to the path "to"
//	delete         the file goes
//
// Several patches of one file are one. The error is an *ActionError about an entry, or a *ParseError.
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

// ActionError says which entry of an action list cannot be meant, and why.
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
	content  *string // nil if there is none
}

// readAction reads an entry. What could be read of it is returned with an error too.
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
		return a, wrongAction("it has no action: there is %s", knownActions)
	}
	if to := found["to"]; to != nil {
		a.to = *to
	}
	a.does, a.content = Action(strings.ToLower(strings.TrimSpace(*found["action"]))), found["content"]
	return a, a.checkPaths()
}

// checkPaths makes both paths plain and checks them.
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
		return wrongAction("it is moved onto itself")
	}
	return nil
}

// op is what an entry means.
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
	return FileOp{}, wrongAction("action %q is unknown: there is %s", Clip(string(a.does), shownRunes), knownActions)
}

// hasContent reports whether there is a content; an empty one may be there because all entries have the field.
func (a action) hasContent() bool { return a.content != nil && *a.content != "" }

// whole is a whole text. One that is missing is not taken for an empty one: it may stand in a field of
// another name.
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
		return FileOp{}, wrongAction("it does not say where the file goes: give a path as to")
	case a.hasContent():
		return FileOp{}, wrongAction("a file that is moved has no content: use the action patch, with to, to change it as well")
	}
	return FileOp{Kind: Move, Path: a.path, To: a.to}, nil
}

// patched makes one operation of all that a content says of the file.
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
			return FileOp{}, wrongAction("its content is to %s %s: that is an action of its own, not one of patch", part.Kind, Clip(part.Path, shownRunes))
		case part.Path != a.path:
			return FileOp{}, wrongAction("its content changes another file, %s: give that an entry of its own", Clip(part.Path, shownRunes))
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
