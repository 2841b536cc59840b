package dialogue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/prompt"
	"forge/engine/step"
)

// Nodes are shown the skills that are for their work, and a line of the others.
func TestGuides_AreForNodes(t *testing.T) {
	t.Parallel()
	for node, want := range map[string]struct{ full, line string }{
		"spec":     {"Say what must hold.", "[skill:tdd] Tests first"},
		"executor": {"Write the test, see it red.", "[skill:planning] How to plan"},
	} {
		text := ""
		for _, s := range guides(withSkills(), node) {
			require.True(t, s.Data, "skills are data")
			require.Equal(t, prompt.Guides, s.Kind)
			text += s.Text + "\n"
		}
		require.Contains(t, text, want.full)
		require.Contains(t, text, want.line)
	}
	require.Empty(t, guides(step.Brief{}, "spec"))
	many := step.Brief{}
	for i := range 100 {
		many.Skills = append(many.Skills, prompt.Skill{Name: fmt.Sprintf("s%d", i), Category: "code", Body: "body"})
	}
	shown := guides(many, "executor")
	require.Len(t, shown, maxSkillBodies+1)
	require.Equal(t, maxSkillLines, strings.Count(shown[maxSkillBodies].Text, "[skill:"))
}

func withSkills() step.Brief {
	return step.Brief{Skills: []prompt.Skill{
		{Name: "planning", Description: "How to plan", Source: "~/.forge/skills/planning/SKILL.md", Body: "Say what must hold."},
		{Name: "tdd", Description: "Tests first", Category: "code", Source: ".forge/skills/tdd/SKILL.md", Body: "Write the test, see it red."},
	}}
}
