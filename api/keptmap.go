package api

import (
	"time"

	"forge/engine/event"
	"forge/engine/history"
	"forge/engine/state"
	"forge/patch"
)

// stamp is a time on the wire; of none it is empty.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeLayout)
}

// list is never nil, so that JSON shows an empty list.
func list[T, W any](values []T, wire func(T) W) []W {
	all := make([]W, 0, len(values))
	for _, v := range values {
		all = append(all, wire(v))
	}
	return all
}

func same[T any](v T) T { return v }

// RunOf returns a kept run as it goes over the wire.
func RunOf(r history.Run) RunInfo {
	wire := RunInfo{
		RunID: r.ID, Task: r.Title, State: string(r.State), Reason: r.Reason, Folder: FileURI(r.Root),
		Recipe: r.Way.Recipe, Mode: r.Way.Mode, Profile: r.Way.Profile,
		Started: stamp(r.Started), Ended: stamp(r.Ended), Tokens: r.Tokens, CachedTokens: r.Cached, Files: r.Files, Unverified: r.Unverified, Batch: r.Batch,
	}
	if r.Tokens > 0 {
		cost := CostOf(r.Cost)
		wire.Cost = &cost
	}
	return wire
}

// RunsOf returns kept runs as they go over the wire.
func RunsOf(runs []history.Run) []RunInfo { return list(runs, RunOf) }

// LogLines returns lines about a run as they go over the wire.
func LogLines(lines []event.Line) []LogLine {
	return list(lines, func(l event.Line) LogLine {
		return LogLine{
			Seq: l.Seq, TS: stamp(l.Time), Node: l.Node, Phase: string(l.Phase), Severity: string(l.Severity), Text: l.Text,
		}
	})
}

// CheckpointsOf returns a ledger as it goes over the wire.
func CheckpointsOf(checkpoints []history.Checkpoint) CheckpointsResult {
	return CheckpointsResult{Checkpoints: list(checkpoints, func(c history.Checkpoint) Checkpoint {
		return Checkpoint{
			ID: c.ID, RunID: c.RunID, Undoes: c.Undoes, Title: c.Title, TS: stamp(c.Time),
			Files: list(c.Files, func(f history.CheckpointFile) CheckpointFile {
				return CheckpointFile{Path: f.Path, From: f.From, Kind: KindNames[f.Kind]}
			}),
		}
	})}
}

// KindNames are the kinds of changes as the wire knows them.
var KindNames = map[patch.Kind]string{
	patch.Create: "create", patch.Update: "update", patch.Delete: "delete", patch.Move: "move",
}

// GCOf returns what a collection did as it goes over the wire.
func GCOf(r history.GCReport, dryRun bool) GCResult {
	m := r.Memory
	return GCResult{
		DryRun: dryRun, Runs: list(r.Runs, same), EventFiles: r.Events,
		MemoryRows:    m.Expired + m.Mid + m.Iterations + m.Episodic,
		MemoryReduced: m.EpisodicReduced, SpecVersions: m.Specs,
		Snapshots: r.Shadow.Snapshots, LedgerEntries: r.Shadow.Entries, Trees: r.Shadow.Trees, OverQuota: r.Shadow.OverQuota,
		ShadowLeft: r.ShadowLeft, BytesBefore: r.Before, BytesAfter: r.After,
	}
}

// ProjectOf returns what is kept of a folder as it goes over the wire.
func ProjectOf(p state.Usage) Project {
	wire := Project{
		ID: p.ID, Gone: p.Gone, Trusted: p.Trusted, State: p.State, Runs: p.Runs, Seen: stamp(p.Seen),
		RunBytes: p.RunBytes, MemoryBytes: p.MemoryBytes, ShadowBytes: p.ShadowBytes,
	}
	if p.Root != "" {
		wire.Folder = FileURI(p.Root)
	}
	return wire
}

// ProjectsOf returns what is kept of folders as it goes over the wire.
func ProjectsOf(projects []state.Usage) ProjectsResult {
	return ProjectsResult{Projects: list(projects, ProjectOf)}
}

// SessionsOf returns processes as they go over the wire.
func SessionsOf(sessions []history.Session) SessionsResult {
	return SessionsResult{Sessions: list(sessions, func(s history.Session) Session {
		return Session{PID: s.PID, Here: s.Here, Since: stamp(s.Since), Folders: list(s.Folders, FileURI), Runs: list(s.Runs, func(r history.SessionRun) SessionRun {
			return SessionRun{RunID: r.ID, Recipe: r.Way.Recipe, Mode: r.Way.Mode, Profile: r.Way.Profile}
		})}
	})}
}
