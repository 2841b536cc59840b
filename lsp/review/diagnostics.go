package review

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// batchFor is how long the board collects changes before it publishes: typing comes in bursts.
const batchFor = 50 * time.Millisecond

// place is a file of a folder.
type place struct {
	folder string // its path
	path   string // relative to it, slash-separated
}

// Board is what Forge shows in documents: the findings of gates, which it owns, and the hunks of open proposals. One
// goroutine publishes, so that the client never sees an older state after a newer one. It may call the placer and the client.
type Board struct {
	folders *editor.Folders
	placer  *Placer
	client  *transport.Client
	log     *slog.Logger
	dirty   chan struct{} // holds a token when there is something to publish

	changed, moved func() // Options.Changed and Options.Decided

	mu       sync.Mutex                           // guards what follows
	roots    map[string]editor.Folder             // by path
	findings map[string]map[Source][]gate.Finding // by folder and source
	stale    map[place]bool                       // to be published again; true: even if nothing has changed
	shown    map[place]bool                       // published, and not empty
	reviewed map[string]string                    // by folder: the run whose review is shown
}

func newBoard(f *editor.Folders, p *Placer, c *transport.Client, log *slog.Logger) *Board {
	return &Board{
		folders: f, placer: p, client: c, log: log,
		dirty:    make(chan struct{}, 1),
		roots:    map[string]editor.Folder{},
		findings: map[string]map[Source][]gate.Finding{},
		stale:    map[place]bool{},
		shown:    map[place]bool{},
		reviewed: map[string]string{},
	}
}

// See updates the findings with an event of a run. A gate's report replaces its previous one, and the findings of the parts of a plan that
// were done before its part; concurrent parts do not affect each other. A run that succeeds removes the findings of its gates, and
// keeps those of its reviewer.
func (b *Board) See(r *editor.Run, d event.Data) {
	switch d := d.(type) {
	case event.GateFinished:
		b.outdate(r, d.Node)
		b.Replace(r.Folder, Source{Part: editor.PartOf(d.Node), Name: d.Report.Gate}, d.Report.Findings)
	case event.Reviewed:
		if r.Reads() {
			b.Replace(r.Folder, Source{Name: codeReview}, d.Report.Findings)
		} else {
			b.outdate(r, d.Node)
			b.review(r.Folder, r.ID, editor.PartOf(d.Node), d.Report.Findings)
		}
	case event.RunEnded:
		b.block(r, d)
		if d.State == event.Succeeded && !r.Reads() {
			b.clearIf(r.Folder, func(s Source) bool { return s.Name != runReview && !s.stays() })
		}
	}
}

// outdate removes the findings of the parts of a plan that were done before the part of a node.
func (b *Board) outdate(r *editor.Run, node string) {
	before := r.Before(editor.PartOf(node))
	b.clearIf(r.Folder, func(s Source) bool { return before[s.Part] && !s.stays() })
}

// Shows returns a function that shows the findings of a gate in a folder, in the place of those it had before.
func (b *Board) Shows(folder editor.Folder) func(gate.Report) {
	return func(r gate.Report) { b.Replace(folder, Source{Name: r.Gate}, r.Findings) }
}

// Replace shows findings in a folder, in the place of those of the same source before.
func (b *Board) Replace(folder editor.Folder, by Source, findings []gate.Finding) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roots[folder.Path] = folder
	all := b.findings[folder.Path]
	if all == nil {
		all = map[Source][]gate.Finding{}
		b.findings[folder.Path] = all
	}
	b.markFindings(folder, all[by])
	b.markFindings(folder, findings)
	all[by] = findings
}

// Clear removes what gates and the reviewer of an earlier run found in a folder; the next run does so when it begins.
// Findings of a separate review stay: users work through them.
func (b *Board) Clear(folder editor.Folder) {
	b.clearIf(folder, func(s Source) bool { return !s.stays() })
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.reviewed, folder.Path)
}

// clearIf removes the findings of unwanted sources in a folder.
func (b *Board) clearIf(folder editor.Folder, unwanted func(Source) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.findings[folder.Path]
	for by, findings := range all {
		if unwanted(by) {
			b.markFindings(folder, findings)
			delete(all, by)
		}
	}
}

// markFindings marks the files that findings are in. It is called with mu held.
func (b *Board) markFindings(folder editor.Folder, findings []gate.Finding) {
	for _, finding := range findings {
		if filepath.IsLocal(filepath.FromSlash(finding.Path)) { // tools name files of their own, too
			b.mark(place{folder.Path, finding.Path})
		}
	}
}

// mark has a place published again. It is called with mu held.
func (b *Board) mark(p place) { b.schedule(p, false) }

// schedule is mark; with always, the place is published even if nothing has changed. It is called with mu held.
func (b *Board) schedule(p place, always bool) {
	b.stale[p] = b.stale[p] || always
	select {
	case b.dirty <- struct{}{}:
	default:
	}
}

// touch marks a document as changed: the positions of what is shown in it may have moved. A document that was opened again is
// published in any case, because clients forget the diagnostics of a document that they close. It runs on the read loop.
func (b *Board) touch(u uri.URI, what editor.BufferEvent) {
	full, ok := editor.FilePath(u)
	if !ok {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for p := range b.shown {
		if rel, inside := editor.Relative(b.roots[p.folder], full); inside && rel == p.path {
			b.schedule(p, what == editor.Opened)
		}
	}
}

// touchReview marks a proposal as new, or its hunks as changed.
func (b *Board) touchReview(r *Review) {
	defer b.changed()
	defer b.moved()
	p := r.view()
	if !p.Open() {
		b.decided(r.folder, p)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.roots[r.folder.Path] = r.folder
	for _, path := range p.Paths() {
		b.mark(place{r.folder.Path, path})
	}
}

// Publish publishes until ctx ends.
func (b *Board) Publish(ctx context.Context) {
	last := map[uri.URI][]protocol.Diagnostic{}
	for {
		select {
		case <-b.dirty:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(batchFor):
		case <-ctx.Done():
			return
		}
		for p, always := range b.takeStale() {
			b.publishPlace(ctx, p, always, last)
		}
	}
}

func (b *Board) takeStale() map[place]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	places := b.stale
	b.stale = map[place]bool{}
	return places
}

// publishPlace publishes what there is to show in one file, if it is not what is shown already, or always.
func (b *Board) publishPlace(ctx context.Context, p place, always bool, last map[uri.URI][]protocol.Diagnostic) {
	b.mu.Lock()
	folder := b.roots[p.folder]
	b.mu.Unlock()
	now, err := b.folders.Read(folder, p.path)
	if err != nil {
		b.log.Debug("diagnostics not shown", "path", p.path, "why", err)
		return
	}
	list := b.findingsIn(p, b.folders.Lines(now.Text))
	for _, h := range b.placer.PlacedIn(folder, p.path) {
		list = append(list, h.diagnostic())
	}
	b.remember(p, len(list) > 0)
	if !always && reflect.DeepEqual(last[now.URI], list) {
		return
	}
	last[now.URI] = list
	params := &protocol.PublishDiagnosticsParams{URI: now.URI, Diagnostics: append([]protocol.Diagnostic{}, list...)}
	if err := b.client.PublishDiagnostics(ctx, params); err != nil {
		b.log.Debug("diagnostics not shown", "path", p.path, "why", err)
	}
}

func (b *Board) remember(p place, some bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if some {
		b.shown[p] = true
	} else {
		delete(b.shown, p)
	}
}

var diagnosticSeverities = map[gate.Severity]protocol.DiagnosticSeverity{
	gate.SeverityError:   protocol.DiagnosticSeverityError,
	gate.SeverityWarning: protocol.DiagnosticSeverityWarning,
	gate.SeverityInfo:    protocol.DiagnosticSeverityInformation,
}

// findingsIn are the findings in one file, by gate, as diagnostics of the text as it is now. What a gate has found in several
// parts of a plan is shown once.
func (b *Board) findingsIn(p place, index *editor.Lines) []protocol.Diagnostic {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.findings[p.folder]
	var list []protocol.Diagnostic
	shown := map[string][]gate.Finding{} // by gate
	for _, by := range slices.SortedFunc(maps.Keys(all), compareSources) {
		for _, finding := range all[by] {
			if finding.Path == p.path && !slices.Contains(shown[by.Name], finding) {
				shown[by.Name] = append(shown[by.Name], finding)
				list = append(list, findingDiagnostic(by.Name, finding, index))
			}
		}
	}
	return list
}

// findingDiagnostic shows a finding from its column to the end of its line. The gate saw the run's
// text, not the user's: a line that is not there is shown at the end of what is.
func findingDiagnostic(name string, finding gate.Finding, index *editor.Lines) protocol.Diagnostic {
	severity, known := diagnosticSeverities[finding.Severity]
	if !known {
		severity = protocol.DiagnosticSeverityError
	}
	where := index.LineFrom(finding.Line, finding.Column)
	if finding.EndLine > finding.Line {
		where.End = index.LineFrom(finding.EndLine, 1).End
	}
	d := protocol.Diagnostic{
		Range:    where,
		Severity: severity,
		Source:   protocol.NewOptional(sourceOf(name)),
		Message:  protocol.String(inert.Text(finding.Message)),
	}
	if finding.Rule != "" {
		d.Code = protocol.String(inert.Text(finding.Rule))
	}
	return d
}

// Source is the gate or reviewer that reports a finding, and the part of a plan that it judged; an empty Part is the whole task.
type Source struct {
	Part string
	Name string
}

// compareSources orders by gate, then by part.
func compareSources(a, b Source) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Part, b.Part))
}

// blockage is the name, and BlockedSource the source, of the diagnostic that a run is blocked.
const (
	blockage      = "run"
	BlockedSource = "forge/" + blockage
)

// block shows why a run cannot continue by itself, and what would help, in the document that the run is about. A run without a
// document reports this elsewhere. The diagnostic is cleared when the run is resumed, and when another one begins.
func (b *Board) block(r *editor.Run, end event.RunEnded) {
	if end.State != event.Blocked || r.About.Path == "" || r.Reads() {
		return
	}
	reason := end.Reason
	if !strings.Contains(reason, "Blocked: ") {
		reason = "Blocked: " + reason
	}
	b.Replace(r.Folder, Source{Name: blockage}, []gate.Finding{{
		Path: r.About.Path, Line: r.About.StartLine, EndLine: r.About.EndLine, Severity: gate.SeverityWarning, Rule: r.ID, Message: reason,
	}})
}

// IsBlockage reports whether a diagnostic shows that a run is blocked, and not a fault of the document.
func IsBlockage(d protocol.Diagnostic) bool {
	source, _ := d.Source.Get()
	return source == BlockedSource
}
