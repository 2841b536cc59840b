package tool

import (
	"encoding/json"
	"path"

	"forge/engine/permission"
)

// Action returns a call of the tool as package permission judges it. Arguments that cannot be read name nothing: the tool itself reports them.
func (t Tool) Action(agent permission.Agent, folder string, args json.RawMessage) permission.Action {
	var a Args
	_ = json.Unmarshal(args, &a)
	action := permission.Action{
		Kind: t.actionKind(), Tool: t.Name, Effect: t.Effect, Risk: t.Risk, Agent: agent, Call: Key(t.Name, args), Folder: folder,
	}
	if action.Kind == permission.Command {
		action.Argv = a.Argv
		exact, _ := json.Marshal(a.Argv) // strings
		action.Call = string(exact)
	}
	if action.Kind == permission.MCP {
		action.Call = t.exactly(a)
	}
	switch {
	case t.Mutates():
		action.Resources = t.changes(a)
	case action.Kind == permission.Web && a.URL != "":
		action.Resources = []string{a.URL}
	case action.Kind == permission.Look:
		action.Resources = append(t.changes(a), a.Paths...)
	}
	return action
}

func (t Tool) actionKind() permission.Kind {
	switch {
	case t.AnsweredByUser:
		return permission.Question
	case t.Effect == permission.Outside:
		return permission.MCP
	case t.Name == Command:
		return permission.Command
	case t.Effect == permission.Exec:
		return permission.Check
	case t.Effect == permission.Network:
		return permission.Web
	case t.Effect == permission.Write:
		return permission.Edit
	}
	return permission.Look
}

// changes lists the paths that the arguments name for a change.
func (t Tool) changes(a Args) (paths []string) {
	named := []string{a.Path}
	if t.Name == moveTool {
		named = append(named, a.To)
	}
	for _, p := range named {
		if p != "" {
			paths = append(paths, path.Clean(p))
		}
	}
	return paths
}

// Settings returns what the user's settings say about a call with these arguments: Grants as a layer of a decision.
func (g Grants) Settings(t Tool, args json.RawMessage) permission.Settings {
	return func(permission.Action) string { return g.Refuses(t, args) }
}

// moveTool is the name of the tool that moves files.
const moveTool = "move_file"
