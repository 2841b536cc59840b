package editor

import (
	"slices"

	"go.lsp.dev/protocol"

	"forge/lsp/transport"
)

// Features is what this client can do, as far as Forge makes use of it.
type Features struct {
	Rich bool // takes forge/event, and has a user interface for questions and proposals

	ApplyEdit       bool
	DocumentChanges bool
	Annotations     bool // previews an edit whose annotations ask for confirmation
	Create          bool
	Rename          bool
	Remove          bool

	Progress     bool
	ShowDocument bool
	// DocumentContent is set if it accepts the content of documents from the server.
	DocumentContent bool
	LensRefresh     bool // requests code lenses again when the server asks
	Watch           bool // reports files that change on disk when the server asks

	Configuration  bool // sends its settings when the server asks
	FollowSettings bool // reports changed settings when the server asks

	SymbolTree     bool // shows symbols as a tree
	ActionLiterals bool // takes code actions, not only commands
	Disabled       bool // shows why an action cannot apply
	LLMTag         bool
}

// Features reads the client's capabilities. They are settled by initialize and never change.
func (s *Session) Features() Features {
	c := &s.client.capabilities
	f := Features{Rich: s.client.forge}
	if w := c.Workspace; w != nil {
		f.ApplyEdit = isTrue(w.ApplyEdit)
		f.readEdits(w.WorkspaceEdit)
		f.Configuration = isTrue(w.Configuration)
		f.FollowSettings = w.DidChangeConfiguration != nil && isTrue(w.DidChangeConfiguration.DynamicRegistration)
		f.DocumentContent = w.TextDocumentContent != nil
		f.LensRefresh = w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport)
		f.Watch = w.DidChangeWatchedFiles != nil && isTrue(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	f.Annotations = f.Annotations && !slices.Contains(unasked, s.client.name)
	f.Progress = s.client.workDoneProgress()
	f.SymbolTree = s.client.hierarchicalSymbols()
	if w := c.Window; w != nil {
		f.ShowDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if t := c.TextDocument; t != nil {
		f.readActions(t.CodeAction)
	}
	return f
}

// unasked are the clients that announce annotations and apply such an edit without asking, by name: they would apply a whole proposal as its preview.
var unasked = []string{"kakoune-lsp"}

func (f *Features) readEdits(c *protocol.WorkspaceEditClientCapabilities) {
	if c == nil {
		return
	}
	// Operations on files are document changes: Neovim announces the operations alone.
	f.DocumentChanges = isTrue(c.DocumentChanges) || len(c.ResourceOperations) > 0
	f.Annotations = isTrue(c.DocumentChanges) && c.ChangeAnnotationSupport != nil
	f.Create = f.DocumentChanges && slices.Contains(c.ResourceOperations, protocol.ResourceOperationKindCreate)
	f.Rename = f.DocumentChanges && slices.Contains(c.ResourceOperations, protocol.ResourceOperationKindRename)
	f.Remove = f.DocumentChanges && slices.Contains(c.ResourceOperations, protocol.ResourceOperationKindDelete)
}

func (f *Features) readActions(c *protocol.CodeActionClientCapabilities) {
	if c == nil {
		return
	}
	f.ActionLiterals = len(c.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
	f.Disabled = isTrue(c.DisabledSupport)
	f.LLMTag = slices.Contains(c.TagSupport.ValueSet, protocol.CodeActionTagLLMGenerated)
}

// Tier names the way a proposal is shown.
func (f Features) Tier() string {
	switch {
	case !f.ApplyEdit:
		return "none: this client cannot apply edits"
	case f.Annotations:
		return "annotated edit with a confirmation for each change"
	default:
		return "hints with quick fixes, and a question"
	}
}

// client is what the editor announced about itself. The capabilities decide what Forge sends; the
// name is for logs, and for what a client announces and does not do.
type client struct {
	name         string
	version      string
	capabilities protocol.ClientCapabilities
	forge        bool // it takes forge/event, and answers questions with forge.answer
}

func readClient(p *protocol.InitializeParams) client {
	version, _ := p.ClientInfo.Version.Get()
	return client{
		name: p.ClientInfo.Name, version: version,
		capabilities: p.Capabilities,
		forge:        announcesForge(p.Capabilities.Experimental),
	}
}

// announcesForge reads capabilities.experimental.forge, which is true or an object.
func announcesForge(experimental protocol.LSPAny) bool {
	var announced struct {
		Forge protocol.LSPAny `json:"forge"`
	}
	if len(experimental) == 0 || (transport.Codec{}).Unmarshal(experimental, &announced) != nil {
		return false
	}
	value := string(announced.Forge)
	return value != "" && value != "null" && value != "false"
}

// hierarchicalSymbols reports whether the client shows symbols as a tree.
func (c *client) hierarchicalSymbols() bool {
	d := c.capabilities.TextDocument
	return d != nil && d.DocumentSymbol != nil && isTrue(d.DocumentSymbol.HierarchicalDocumentSymbolSupport)
}

// workDoneProgress reports whether the client shows progress that the server begins.
func (c *client) workDoneProgress() bool {
	w := c.capabilities.Window
	return w != nil && isTrue(w.WorkDoneProgress)
}

// isTrue reads an optional capability.
func isTrue(b *bool) bool { return b != nil && *b }
