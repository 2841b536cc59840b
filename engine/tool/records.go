package tool

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// How many records are given.
const (
	defaultRecords = 5
	maxRecords     = 20
)

// bounded is how many records are meant.
func bounded(limit int) int {
	if limit <= 0 {
		return defaultRecords
	}
	return min(limit, maxRecords)
}

type runsArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"5 if it is left out"`
}

func pastRuns(ctx context.Context, w World, a runsArgs) (Result, error) {
	if w.Records == nil {
		return failed("earlier runs are not known here"), nil
	}
	runs, err := w.Records.Runs(ctx, bounded(a.Limit))
	if err != nil {
		return Result{}, fmt.Errorf("list earlier runs: %w", err)
	}
	if len(runs) == 0 {
		return Result{Text: "there was no run in this folder before"}, nil
	}
	var b strings.Builder
	for _, r := range runs {
		fmt.Fprintf(&b, "%s %s %s: %s, %d files", r.Started.UTC().Format(time.DateTime), r.ID, r.State, r.Title, r.Files)
		if r.Reason != "" {
			b.WriteString(": " + r.Reason)
		}
		b.WriteString("\n")
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}

type playbookArgs struct {
	Tags  []string `json:"tags,omitempty" jsonschema:"such as go or testing; all if they are left out"`
	Limit int      `json:"limit,omitempty" jsonschema:"5 if it is left out"`
}

func playbooks(ctx context.Context, w World, a playbookArgs) (Result, error) {
	if w.Records == nil {
		return failed("playbooks are not known here"), nil
	}
	books, err := w.Records.Playbooks(ctx, a.Tags, bounded(a.Limit))
	if err != nil {
		return Result{}, fmt.Errorf("look for playbooks: %w", err)
	}
	if len(books) == 0 {
		return Result{Text: "there is no playbook for that"}, nil
	}
	share := MaxOutput/len(books) - room/defaultRecords
	var b strings.Builder
	for _, p := range books {
		fmt.Fprintf(&b, "# %s (%s)\n%s\n", p.Title, strings.Join(p.Tags, ", "), head(strings.TrimSpace(p.Text), share))
	}
	return Result{Text: strings.TrimRight(b.String(), "\n")}, nil
}
