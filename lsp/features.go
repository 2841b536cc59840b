package lsp

import (
	"slices"

	"go.lsp.dev/protocol"
)

// features is what this client can do, as far as Forge makes use of it.
type features struct {
	rich bool // takes forge/event, and has a user interface for questions and proposals

	applyEdit       bool
	documentChanges bool
	annotations     bool // previews an edit whose annotations ask for confirmation
	create          bool
	rename          bool
	remove          bool

	progress     bool
	showDocument bool
	// documentContent says that it takes the content of documents from the server.
	documentContent bool
	lensRefresh     bool // asks for code lenses anew, if it is asked to
	watch           bool // tells of files that change on disk, if it is asked to

	configuration  bool // tells its settings, if it is asked
	followSettings bool // tells when they change, if it is asked to

	actionLiterals bool // takes code actions, not only commands
	disabled       bool // shows why an action cannot apply
	llmTag         bool
}

// features reads the client's capabilities. They are settled by initialize and never change.
func (s *session) features() features {
	c := &s.client.capabilities
	f := features{rich: s.client.forge}
	if w := c.Workspace; w != nil {
		f.applyEdit = isTrue(w.ApplyEdit)
		f.readEdits(w.WorkspaceEdit)
		f.configuration = isTrue(w.Configuration)
		f.followSettings = w.DidChangeConfiguration != nil && isTrue(w.DidChangeConfiguration.DynamicRegistration)
		f.documentContent = w.TextDocumentContent != nil
		f.lensRefresh = w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport)
		f.watch = w.DidChangeWatchedFiles != nil && isTrue(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	f.progress = s.client.workDoneProgress()
	if w := c.Window; w != nil {
		f.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if t := c.TextDocument; t != nil {
		f.readActions(t.CodeAction)
	}
	return f
}

func (f *features) readEdits(c *protocol.WorkspaceEditClientCapabilities) {
	if c == nil {
		return
	}
	f.documentChanges = isTrue(c.DocumentChanges)
	f.annotations = f.documentChanges && c.ChangeAnnotationSupport != nil
	f.create = f.documentChanges && slices.Contains(c.ResourceOperations, protocol.ResourceOperationKindCreate)
	f.rename = f.documentChanges && slices.Contains(c.ResourceOperations, protocol.ResourceOperationKindRename)
	f.remove = f.documentChanges && slices.Contains(c.ResourceOperations, protocol.ResourceOperationKindDelete)
}

func (f *features) readActions(c *protocol.CodeActionClientCapabilities) {
	if c == nil {
		return
	}
	f.actionLiterals = len(c.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
	f.disabled = isTrue(c.DisabledSupport)
	f.llmTag = slices.Contains(c.TagSupport.ValueSet, protocol.CodeActionTagLLMGenerated)
}

// tier names the way a proposal is shown.
func (f features) tier() string {
	switch {
	case !f.applyEdit:
		return "none: this client cannot apply edits"
	case f.annotations:
		return "annotated edit with a confirmation for each change"
	default:
		return "hints with quick fixes, and a question"
	}
}
