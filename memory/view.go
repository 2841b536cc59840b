package memory

import "context"

// ViewQuery asks for what memory gives to a prompt.
type ViewQuery struct {
	Run  string // whose mid tier it is
	Text string // the task
	Tags []string
}

// The quotas of a prompt.
const (
	warmQuota     = 8
	coldQuota     = 8
	patternQuota  = 5
	playbookQuota = 5
	// PromptConfidence is what a pattern needs to be shown to a model.
	PromptConfidence = 0.55
)

// View is what memory gives to a prompt, each part best first, in the order of the parts. The same memory
// gives the same view.
type View struct {
	Warm      []Hit // of this run's mid tier and the episodic one, at most 8
	Cold      []Hit // of the long tier, at most 8
	Patterns  []Hit // at most 5 with a confidence of at least 0.55
	Playbooks []Playbook
}

// View collects it.
func (p *Project) View(ctx context.Context, q ViewQuery) (View, error) {
	var view View
	var err error
	if view.Warm, err = p.Recall(ctx, Query{Text: q.Text, Tiers: []Tier{Mid, Episodic}, Run: q.Run, Limit: warmQuota}); err != nil {
		return View{}, err
	}
	if view.Cold, err = p.Recall(ctx, Query{Text: q.Text, Tiers: []Tier{Long}, Limit: coldQuota}); err != nil {
		return View{}, err
	}
	view.Patterns, err = p.Recall(ctx, Query{Text: q.Text, Categories: Categories, MinConfidence: PromptConfidence, Limit: patternQuota})
	if err != nil {
		return View{}, err
	}
	view.Playbooks, err = p.PlaybooksFor(ctx, q.Tags)
	return view, err
}
