package work

import (
	"fmt"
	"strings"

	"forge/cmd/forge/terminal"
	"forge/engine/mode"
)

// checkWay refuses a recipe, a mode, a profile or a domain that there is not, and names those that there are.
func (f RunFlags) checkWay() error {
	_, recipe := mode.LookupRecipe(f.recipe)
	_, named := mode.Lookup(f.mode)
	_, profile := mode.LookupProfile(f.profile)
	_, domain := mode.LookupDomain(f.domain)
	for _, flag := range []struct {
		name string
		err  error
	}{{"recipe", recipe}, {"mode", named}, {"profile", profile}, {"domain", domain}} {
		if flag.err != nil {
			return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--%s: %v", flag.name, flag.err))
		}
	}
	return nil
}

func modeNames() []mode.Name {
	var names []mode.Name
	for _, m := range mode.Modes() {
		names = append(names, m.Name)
	}
	return names
}

// listed is a list for the help of a flag.
func listed[T ~string](all []T) string {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return strings.Join(names, ", ")
}
