package api

import (
	"encoding/json"

	"forge/engine/history"
	"forge/memory"
)

// SpecOf returns a version of the specification as it goes over the wire.
func SpecOf(s memory.Spec) SpecResult {
	return SpecResult{
		Version: s.Version, Text: s.Text, Prompt: s.Prompt, Changelog: s.Changelog, Created: stamp(s.Created), Source: s.Source.String(),
	}
}

// MemoryOf returns rows of memory as they go over the wire.
func MemoryOf(rows []history.Remembered) MemoryResult {
	return MemoryResult{Rows: list(rows, MemoryRowOf)}
}

// MemoryRowOf returns a row of memory as it goes over the wire.
func MemoryRowOf(r history.Remembered) MemoryRow {
	row := MemoryRow{Scope: string(r.Scope), Score: r.Score}
	switch {
	case r.Entry != nil:
		e := r.Entry
		row.ID, row.Kind, row.Tier, row.Agent, row.Key = string(e.ID), string(history.Entries), string(e.Tier), e.Agent, e.Key
		row.Text, row.Updated, row.Source = textOf(e.Value), stamp(e.Updated), e.Source.String()
	case r.Pattern != nil:
		p := r.Pattern
		row.ID, row.Kind, row.Category, row.Text, row.Fix = string(p.ID), string(history.Patterns), string(p.Category), p.Text, p.Fix
		row.Confidence, row.Updated, row.Source = p.Confidence, stamp(p.Created), p.Source.String()
		if !p.Judged.IsZero() {
			row.Updated = stamp(p.Judged)
		}
	case r.Playbook != nil:
		p := r.Playbook
		row.ID, row.Kind, row.Title, row.Text = string(p.ID), string(history.Playbooks), p.Title, p.Content
		row.Updated, row.Source = stamp(p.Updated), p.Source.String()
	}
	return row
}

// textOf is a value as people read it: a text without quotes, anything else as JSON.
func textOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// WhyOf returns where a row comes from as it goes over the wire.
func WhyOf(p memory.Provenance) MemoryWhyResult {
	return MemoryWhyResult{
		ID: string(p.ID), Scope: string(p.Scope), What: p.What, Origin: string(p.Source.Origin), RunID: p.Source.Run,
		Node: p.Source.Node, Detail: p.Source.Detail, Source: p.Source.String(), Created: stamp(p.Created), Updated: stamp(p.Updated),
		Evidence: list(p.Evidence, func(e memory.Evidence) MemoryEvidence {
			return MemoryEvidence{
				Verdict: e.Verdict, Gate: e.Report.Gate, RunID: e.Report.Run, Node: e.Report.Node, Summary: e.Report.Summary, TS: stamp(e.At),
			}
		}),
	}
}

// ImportedOf returns what became of imported lines as it goes over the wire.
func ImportedOf(i memory.Imported) MemoryImportResult {
	return MemoryImportResult{Added: i.Added, Known: i.Known, Bad: list(i.Bad, func(b memory.BadLine) MemoryBadLine { return MemoryBadLine(b) })}
}
