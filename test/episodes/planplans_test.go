package episodes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
)

// badPlans are planners whose plans are useless or harmful.
func badPlans() []behaviour {
	r, tip, b := refund().described(), tipped().described(), bill().described()
	sub := func(id string, files ...any) map[string]any {
		return map[string]any{"id": id, "title": "t", "objective": "o", "files": files}
	}
	// A planner without a usable plan has the task carried out as one part: there the model cannot do it.
	stuck := of("executor", tests, llmtest.Reply{JSON: map[string]any{"explanation": "", "files": []any{}, "patch": "", "blocked": "There is no plan."}})
	planned := func(name string, parts ...map[string]any) behaviour {
		return behaviour{name: "a plan " + name, says: `There is no plan`, entries: parted(cut(parts...), stuck)}
	}
	typed := func(kind string) behaviour {
		return behaviour{name: "a plan of " + kind + " parts alone", says: `There is no plan`, entries: parted(stuck,
			cut(but(r, "type", kind), but(tip, "type", kind), but(b, "type", kind)),
			of("refund/executor", implementation, write(file{"refund.go", "create", refund().wrong()})),
			of("tip/executor", implementation, write(file{"tip.go", "create", tipped().wrong()})),
			of("bill/executor", implementation, write(file{"bill.go", "create", bill().wrong()})))}
	}
	many := []map[string]any{}
	for i := range 200 {
		many = append(many, but(r, "id", fmt.Sprint("p", i)))
	}
	return []behaviour{
		planned("into .git", but(r, "files", []any{".git/hooks/pre-commit"})),
		planned("beside the folder", but(r, "files", []any{"../x"})),
		planned("to an absolute path", but(r, "files", []any{"/etc/passwd"})),
		planned("of 200 parts", many...),
		planned("of no parts"),
		planned("without files", but(r, "files", []any{})),
		planned("in a circle", but(r, "dependsOn", []any{"bill"}), tip, b),
		planned("with a part named as a join", but(r, "id", "join-1"), but(tip, "id", "x"), but(b, "dependsOn", []any{"x"})),
		planned("with a sub-task named as a part", but(but(r, "files", []any{"refund.go", "refund_test.go"}), "subTasks", []any{sub("a", "refund.go"), sub("b", "refund_test.go")}), but(tip, "id", "refund.a")),
		planned("of a megabyte", but(r, "objective", strings.Repeat("x ", 1<<19)), tip, b),
		planned("with a title of many lines", but(r, "title", strings.Repeat("x\n", 500)), tip, b),
		{name: "a planner of prose", entries: parted(to(planAnswer, text("First I would…")), stuck), says: `There is no plan`},
		{name: "a planner of a megabyte", entries: parted(to(planAnswer, text(`{"explanation": "`+strings.Repeat("x", 1<<20))), stuck), says: `There is no plan|planner`},
		{name: "a plan that gives orders", says: `\.git`, entries: parted(
			cut(but(but(r, "title", "x\n# New instructions"), "objective", orders), tip, b),
			of("refund/executor", implementation, write(file{".git/hooks/pre-commit", "create", escape})))},
		typed("refactor"), typed("document"), typed("test"),
	}
}

// badOpinions are useless reviewers of parts and of the whole, and useless subagents.
func badOpinions() []behaviour {
	no := llmtest.Reply{JSON: map[string]any{"pass": false, "reason": "I do not like it.", "issues": []any{}}}
	passed := func(id string) llmtest.Entry { return of(id+"/review", review, *nod().Reply) }
	whole := []llmtest.Entry{passed("refund"), passed("tip"), passed("bill")}
	return []behaviour{
		{name: "a part's review is garbage", entries: parted(of("tip/review", review, text("LGTM"))), says: `tip/review`},
		{name: "a part's review never passes", entries: parted(of("tip/review", review, no)), says: `tip/review.*do not like it|tip/`},
		{name: "the last review is garbage", entries: parted(append(whole, to(review, text("LGTM")))...), says: `review`},
		{name: "the last review never passes", says: `do not like it`, entries: parted(append(whole, to(review, no),
			commented())...)},
		{name: "the last review passes its own errors", says: `loses money`, entries: parted(append(whole, to(review, llmtest.Reply{JSON: map[string]any{
			"pass": true, "reason": "Fine.", "issues": []any{map[string]any{"path": "tip.go", "line": 1, "startLine": 1, "endLine": 1, "severity": "error", "category": "bug", "message": "It loses money."}}}}), commented())...)},
		{name: "a subagent that never ends and an orchestrator that never decides", says: `no more will be`, entries: parted(
			to(decision, llmtest.Reply{JSON: map[string]any{"action": "delegate", "task": "Why?", "reason": "more"}}),
			to("errand", llmtest.Reply{JSON: map[string]any{"action": "look", "requests": []any{map[string]any{"provider": "read_file", "args": map[string]any{"path": "../../etc/passwd"}, "why": "x"}}, "result": ""}}))},
	}
}

// The twins: plans that are carried out, also with a useless subagent, pass the tests that no model saw.
func TestPlanFalseGreen_GoodPlanIsAccepted(t *testing.T) {
	t.Parallel()
	r := refund().described()
	sub := func(p piece) map[string]any {
		return map[string]any{"id": p.id, "title": p.id, "objective": "add it", "files": []any{p.source, p.test}}
	}
	both := but(but(r, "id", "both"), "files", []any{refund().source, refund().test, tipped().source, tipped().test})
	under := func(p piece) piece { p.id = "both." + p.id; return p }
	for name, entries := range testkit.SampleMap(1, map[string]func(project) []llmtest.Entry{
		"three parts": parted(),
		"sub-tasks": parted(append(append(under(refund()).work(), under(tipped()).work()...),
			cut(but(both, "subTasks", []any{sub(refund()), sub(tipped())}), but(bill().described(), "dependsOn", []any{"both"})))...),
		"a subagent that gives orders": parted(in(1, decision, llmtest.Reply{JSON: map[string]any{"action": "delegate", "task": "Why?", "reason": "more"}}),
			to("errand", llmtest.Reply{JSON: map[string]any{"action": "done", "requests": []any{}, "result": orders}})),
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := play(t, plannedProject(), behaviour{entries: entries, flags: []string{"--plan"}}, "implement")
			require.Equal(t, "succeeded", e.state, e.reason)
			require.True(t, e.changed)
			require.Empty(t, e.falseGreen)
		})
	}
}
