package review

import (
	"strings"

	"go.lsp.dev/protocol"

	"forge/engine/gate"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// riskTexts says to the user why something needs a second look.
var riskTexts = map[proposal.Risk]string{
	proposal.RiskInexact: "did not match to the letter",
	proposal.RiskDelete:  "deletes the file",
	proposal.RiskMove:    "moves the file",
	proposal.RiskScope:   "outside what was asked for",
	proposal.RiskRebased: "merged with what you typed",
	proposal.RiskLook:    "look twice",
	proposal.RiskControl: "look at this first",
}

// annotate describes a file's edits, and asks for a confirmation where one is due: everywhere in a
// preview, else where there is a risk. Clients that ignore annotations get none.
func (c *composer) annotate(plan proposal.FilePlan) protocol.ChangeAnnotationIdentifier {
	if !c.can.Annotations {
		return ""
	}
	risks := risksOf(plan)
	confirm := c.confirmAll || len(risks) > 0
	if c.proposal.Unverified != "" {
		risks = append([]string{notVerified(c.proposal)}, risks...)
	}
	description := describe(c.proposal, plan.Path, risks)
	if c.edit.ChangeAnnotations == nil {
		c.edit.ChangeAnnotations = map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{}
	}
	id := protocol.ChangeAnnotationIdentifier(plan.Path)
	c.edit.ChangeAnnotations[id] = protocol.ChangeAnnotation{
		Label: inert.Text(plan.Path), Description: &description, NeedsConfirmation: &confirm,
	}
	c.confirm = c.confirm || confirm
	return id
}

func risksOf(plan proposal.FilePlan) []string {
	var risks []string
	seen := map[proposal.Risk]bool{}
	for _, e := range plan.Edits {
		if e.Risk != "" && !seen[e.Risk] {
			seen[e.Risk] = true
			risks = append(risks, riskTexts[e.Risk])
		}
	}
	return risks
}

// describe says how sure a file's edits are: how they matched, what was checked, what is risky.
func describe(p *proposal.Proposal, path string, risks []string) string {
	parts := []string{}
	for _, file := range p.Files {
		if file.Change.Path == path {
			if file.Control.Reason != "" {
				parts = append(parts, file.Control.Reason)
			}
			parts = append(parts, levelName(file.Hunks[0].Level)+" match")
		}
	}
	parts = append(parts, gateSummary(p.Gates))
	for _, notice := range p.Notices() {
		parts = append(parts, inert.Text(notice))
	}
	return strings.Join(append(parts, risks...), " · ")
}

// gateSummary names what was checked and what came out: "gofmt pass, go test fail".
func gateSummary(reports []gate.Report) string {
	if len(reports) == 0 {
		return "not checked"
	}
	var all []string
	for _, r := range reports {
		all = append(all, inert.Text(r.Gate)+" "+r.Verdict.String())
	}
	return strings.Join(all, ", ")
}
