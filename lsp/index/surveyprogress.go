package index

import (
	"context"
	"fmt"
	"time"

	"go.lsp.dev/protocol"

	"forge/engine/atlas"
	"forge/internal/inert"
	"forge/lsp/editor"
)

// showProgress shows how much of the folder has been read, until all of it has been or the session ends: one begin,
// reports, exactly one end; and nothing at all for a folder that is read before there would be a report.
func (s *survey) showProgress(ctx context.Context, c editor.ProgressClient) {
	tick := time.NewTicker(editor.ReportEvery)
	defer tick.Stop()
	if now, ended := s.look(ctx, tick); ended || now.Complete {
		return
	}
	token := "forge/index/" + s.folder.Path
	create, cancel := context.WithTimeout(ctx, editor.CreateWithin)
	defer cancel()
	if c.WorkDoneProgressCreate(create, token) != nil {
		return
	}
	deliver := context.WithoutCancel(ctx)                             // the end is sent also when the session is ending
	send := func(value any) { _ = c.Progress(deliver, token, value) } // a client that is gone needs no progress
	zero := uint32(0)
	send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Forge: reading " + inert.OneLine(s.folder.Name, 60), Percentage: &zero})
	last := s.report(ctx, tick, send)
	send(&protocol.WorkDoneProgressEnd{Kind: "end", Message: &last})
}

// report reports what has changed, at most once in reportEvery, and returns the last message.
func (s *survey) report(ctx context.Context, tick *time.Ticker, send func(any)) string {
	sent, percentage := "", uint32(0)
	for {
		now, ended := s.look(ctx, tick)
		switch {
		case ended:
			return "the session ends"
		case now.Complete:
			return fmt.Sprintf("%d files", now.Total)
		}
		message := fmt.Sprintf("%d of %d files", now.Indexed, now.Total)
		percentage = max(percentage, uint32(99*now.Indexed/max(now.Total, 1))) // which never falls
		if message != sent {
			sent = message
			send(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: &percentage})
		}
	}
}

// look returns the state of the atlas at the next tick, or that the session ends.
func (s *survey) look(ctx context.Context, tick *time.Ticker) (now atlas.Status, ended bool) {
	select {
	case <-tick.C:
		return s.atlas.Status(), false
	case <-ctx.Done():
		return atlas.Status{}, true
	}
}
