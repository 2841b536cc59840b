package review

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine/proposal"
	"forge/lsp/editor"
	"forge/patch"
)

// composer makes one workspace edit of the plans of several files. What this client cannot do is left
// out, because one operation it does not know makes some clients refuse, or half apply, all of it.
type composer struct {
	can        editor.Features
	unit       editor.Encoding
	confirming confirming
	cautious   bool // the client has refused an edit: it gets only operations that it announced
	proposal   *proposal.Proposal
	now        texts
	urls       func(path string) uri.URI

	edit    protocol.WorkspaceEdit
	sent    []proposal.FilePlan
	left    map[string]string // why a file was left out, by path
	confirm bool              // the client will ask the user before it applies
}

// add adds a plan that has something to do.
func (c *composer) add(plan proposal.FilePlan) {
	if why := c.cannot(plan); why != "" {
		c.left[plan.Path] = why
		return
	}
	c.sent = append(c.sent, plan)
	if !c.can.DocumentChanges {
		c.addChanges(plan)
		return
	}
	annotation := c.annotate(plan)
	switch plan.Kind {
	case patch.Create:
		c.create(plan, annotation)
	case patch.Delete:
		c.remove(plan, annotation)
	case patch.Move:
		c.move(plan, annotation)
	default:
		c.document(c.now[plan.Path].URI, c.version(plan.Path), plan, annotation)
	}
}

// cannot returns why this client cannot do what a plan needs; empty when it can.
func (c *composer) cannot(plan proposal.FilePlan) string {
	switch {
	case plan.Kind == patch.Create && c.missing(plan.Path) && !c.can.Create && (c.cautious || !c.can.DocumentChanges):
		return "this editor cannot create files for a server; open " + plan.Path + " as a new, empty file, and accept again"
	case plan.Kind == patch.Delete && !c.can.Remove:
		return "this editor cannot delete files for a server; delete " + plan.Path + " yourself"
	case plan.Kind == patch.Move && !c.can.Rename:
		return "this editor cannot rename files for a server; rename " + plan.From + " to " + plan.Path + " yourself"
	default:
		return ""
	}
}

// missing reports whether a file has to be made: the client has no document of it either, which it would save.
func (c *composer) missing(path string) bool { return !c.now[path].Exists && !c.now[path].Open }

// addChanges is for clients that know no versions: the caller re-checks the text before and after.
func (c *composer) addChanges(plan proposal.FilePlan) {
	if c.edit.Changes == nil {
		c.edit.Changes = map[uri.URI][]protocol.TextEdit{}
	}
	now := c.now[plan.Path]
	c.edit.Changes[now.URI] = append(c.edit.Changes[now.URI], c.edits(plan, now)...)
}

// create makes a file, unless one was made meanwhile: never over existing text, which some clients
// would empty.
func (c *composer) create(plan proposal.FilePlan, annotation protocol.ChangeAnnotationIdentifier) {
	u := c.urls(plan.Path)
	if c.missing(plan.Path) && c.can.Create { // others, such as Emacs, make the file when its text is edited
		yes := true
		op := &protocol.CreateFile{Kind: "create", URI: u, Options: &protocol.CreateFileOptions{IgnoreIfExists: &yes}}
		op.AnnotationID = annotation
		c.edit.DocumentChanges = append(c.edit.DocumentChanges, op)
	}
	c.document(u, c.version(plan.Path), plan, annotation)
}

// remove deletes a file, and nothing but a file.
func (c *composer) remove(plan proposal.FilePlan, annotation protocol.ChangeAnnotationIdentifier) {
	yes, no := true, false
	op := &protocol.DeleteFile{
		Kind: "delete", URI: c.now[plan.Path].URI,
		Options: &protocol.DeleteFileOptions{Recursive: &no, IgnoreIfNotExists: &yes},
	}
	op.AnnotationID = annotation
	c.edit.DocumentChanges = append(c.edit.DocumentChanges, op)
}

// move renames a file and then edits it under its new name, which no version belongs to yet.
func (c *composer) move(plan proposal.FilePlan, annotation protocol.ChangeAnnotationIdentifier) {
	no := false
	to := c.urls(plan.Path)
	op := &protocol.RenameFile{
		Kind: "rename", OldURI: c.now[plan.From].URI, NewURI: to,
		Options: &protocol.RenameFileOptions{Overwrite: &no, IgnoreIfExists: &no},
	}
	op.AnnotationID = annotation
	c.edit.DocumentChanges = append(c.edit.DocumentChanges, op)
	c.document(to, nil, plan, annotation)
}

// document appends the text edits of a plan.
func (c *composer) document(
	u uri.URI, version *int32, plan proposal.FilePlan, annotation protocol.ChangeAnnotationIdentifier,
) {
	source := plan.Path
	if plan.Kind == patch.Move {
		source = plan.From
	}
	change := &protocol.TextDocumentEdit{}
	change.TextDocument.URI = u
	change.TextDocument.Version = version
	for _, edit := range c.edits(plan, c.now[source]) {
		if annotation == "" {
			change.Edits = append(change.Edits, &edit)
			continue
		}
		change.Edits = append(change.Edits, &protocol.AnnotatedTextEdit{TextEdit: edit, AnnotationID: annotation})
	}
	if len(change.Edits) > 0 {
		c.edit.DocumentChanges = append(c.edit.DocumentChanges, change)
	}
}

// edits converts byte edits of the text as Forge knows it into ranges of the text as the client does.
func (c *composer) edits(plan proposal.FilePlan, now editor.Current) []protocol.TextEdit {
	index := editor.NewLines(now.Text[now.Hidden:], c.unit)
	var edits []protocol.TextEdit
	for _, planned := range plan.Edits {
		e := planned.Edit
		if e.Start < now.Hidden {
			e.New = strings.TrimPrefix(e.New, editor.ByteOrderMark)
		}
		if e.Start == e.End && e.New == "" {
			continue
		}
		e = fromLastLine(now.Text, e)
		edits = append(edits, protocol.TextEdit{Range: index.Span(e.Start-now.Hidden, e.End-now.Hidden), NewText: now.Shown(e.New)})
	}
	return edits
}

// fromLastLine makes an edit that appends lines begin at the end of the last line. The text comes out the
// same, but Neovim 0.10 leaves an empty line after an edit that begins after the last line break.
func fromLastLine(text string, e patch.Edit) patch.Edit {
	lineBreak := "\n"
	if strings.HasSuffix(text, "\r\n") {
		lineBreak = "\r\n"
	}
	if e.Start < len(text) || !strings.HasSuffix(text, lineBreak) || !strings.HasSuffix(e.New, lineBreak) {
		return e
	}
	at := len(text) - len(lineBreak)
	return patch.Edit{Start: at, End: at, New: lineBreak + strings.TrimSuffix(e.New, lineBreak)}
}

// version is that of the client's last change; nil for a document that is not open.
func (c *composer) version(path string) *int32 {
	now := c.now[path]
	if !now.Open {
		return nil
	}
	return &now.Version
}

// applyAll is apply for a user who accepts all of a proposal. This does not cover files that an editor, git, a shell or the next model acts
// on. A client that asks about annotated edits asks about them, with the reason; for any other client they are skipped, to be accepted
// separately.
func (ap *applier) applyAll(ctx context.Context, r *Review, ids []string, by way) (api.ApplyResult, error) {
	can := ap.session.Features()
	if can.Annotations && can.DocumentChanges {
		return ap.apply(ctx, r, ids, by)
	}
	rest, left := covered(r.view(), ids)
	result, err := ap.apply(ctx, r, rest, by)
	if err != nil || len(left) == 0 {
		return result, err
	}
	var lines []string
	for _, file := range left {
		why := "left out: " + file.Control.Reason + "; look at it, and accept it by itself"
		result.Files = append(result.Files, api.FileState{
			URI: string(ap.folders.URIOf(r.folder, file.Change.Path)), State: "skipped", Message: why,
		})
		lines = append(lines, file.Change.Path+" was "+why)
	}
	if !can.Rich {
		ap.dialog.Notify(ctx, protocol.MessageTypeWarning, "Forge: "+strings.Join(lines, "\n"))
	}
	return result, nil
}

// covered parts hunks into those that a yes to everything covers, and the files of the others.
func covered(p *proposal.Proposal, ids []string) (rest []string, left []proposal.File) {
	rest = slices.Clone(ids)
	for _, file := range p.Guarded() {
		some := false
		for _, h := range file.Hunks {
			if at := slices.Index(rest, h.ID); at >= 0 && h.State != proposal.Accepted {
				rest, some = slices.Delete(rest, at, at+1), true
			}
		}
		if some {
			left = append(left, file)
		}
	}
	return rest, left
}

// everything reports whether a command means all of a proposal, and none of it by name.
func everything(s *api.Select) bool {
	return s == nil || len(s.Files) == 0 && len(s.Hunks) == 0 && len(s.Lines) == 0
}
