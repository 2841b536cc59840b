package permission

// rule is a line of the rule set: of the first one that matches, the verdict holds.
type rule struct {
	agent   Agent // empty is any
	kind    Kind  // empty is any
	verdict Verdict
}

// ruleSet is what each agent may do. What no rule names is denied.
var ruleSet = []rule{
	{Build, Look, Allow}, {Build, Edit, Allow}, {Build, Check, Allow}, {Build, Command, Allow}, {Build, Web, Allow}, {Build, MCP, Ask},
	{Plan, Look, Allow}, {Plan, Check, Allow},
	{Debug, Look, Allow}, {Debug, Check, Allow}, {Debug, Command, Allow},
	{Other, Look, Allow},
}

// ruled judges an action by the rule set.
func ruled(a Action) Finding {
	for _, r := range ruleSet {
		if (r.agent == "" || r.agent == a.Agent) && (r.kind == "" || r.kind == a.Kind) {
			return Finding{r.verdict, "agent", "a tool of another program is asked about"}
		}
	}
	return Finding{Deny, "agent", a.Tool + " may not be used here: only what looks at the folder may"}
}
