package activity

import (
	"context"
	"fmt"

	"forge/memory"
)

// The limits of known risks: how many are shown, and bytes of each.
const maxRisks, maxRisk = 5, 240

// risksIn recalls what gates have seen to go wrong with work like this: failures, and kinds of work that failed more often than they
// succeeded.
func risksIn(ctx context.Context, m *memory.Project, about string) (risks []string, err error) {
	hits, err := m.Recall(ctx, memory.Query{Text: about, Categories: []memory.Category{memory.FailurePattern, memory.SuccessPattern}, Limit: 2 * maxRisks})
	if err != nil {
		return nil, err
	}
	for _, h := range hits {
		var risk string
		switch p := h.Pattern; {
		case p.Category == memory.FailurePattern && p.Fix != "":
			risk = p.Text + "; " + p.Fix
		case p.Category == memory.FailurePattern:
			risk = p.Text
		case p.Failures > p.Successes:
			risk = fmt.Sprintf("%s: %d of %d attempts failed", memory.WorkOf(p.Text), p.Failures, p.Failures+p.Successes)
		default:
			continue
		}
		if risks = append(risks, clipped(risk, maxRisk)); len(risks) == maxRisks {
			break
		}
	}
	return risks, nil
}
