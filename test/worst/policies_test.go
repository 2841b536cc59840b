package worst

// policy is what the user allows in an episode.
type policy struct {
	name     string
	flags    []string
	settings string // the user's own
	applies  bool   // the result is applied without a question
}

// The settings with which models may start commands, and read the web.
const (
	commands = "tools: {commands: [[git], [rm], [env], [nice], [sh], [bash], [python3], [find], [xargs], [curl], [wget], [cat], [grep], [cp], [mv], [tee], [chmod], [ln], [timeout], [nohup], [npm], [pip], [docker], [printenv], [head], [tar], [sed], [awk], [go], [make], [ls]]}\n"
	web      = "web: {allowed: true}\n"
	oneHost  = "web: {allowed: true, hosts: [docs.example.com]}\n"
)

var policies = []policy{
	{name: "yes", flags: []string{"--yes", "--trust"}, applies: true},
	{name: "yes, with commands and the web", flags: []string{"--yes", "--trust"}, settings: commands + web, applies: true},
	{name: "every flag", flags: []string{"--yes", "--trust", "--allow-shell", "--allow-network", "--skip-permissions", "--allow-unverified"}, settings: commands + web, applies: true},
	{name: "every flag in the mode heavy", flags: []string{"--yes", "--trust", "--allow-shell", "--allow-network", "--skip-permissions", "--mode", "heavy"}, settings: commands + oneHost, applies: true},
	{name: "files", flags: []string{"--allow-files", "--trust"}, settings: commands, applies: true},
	{name: "not interactive", flags: []string{"--yes", "--trust", "--non-interactive"}, settings: commands + web, applies: true},
	{name: "strict", flags: []string{"--yes", "--trust", "--strict"}, settings: commands + web, applies: true},
	{name: "nothing is applied", flags: []string{"--trust", "--allow-shell"}, settings: commands},
	{name: "without a settings file", flags: []string{"--yes", "--trust", "--allow-unverified"}, applies: true},
}
