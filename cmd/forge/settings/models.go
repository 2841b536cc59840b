package settings

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/engine/llm"
	"forge/engine/route"
	"forge/internal/inert"
)

// modelsFlags are the flags of forge models.
type modelsFlags struct {
	terminal.KeptFlags
	provider string
	local    bool
}

// NewModels returns the command forge models.
func NewModels(t terminal.Terminal) *cobra.Command {
	var f modelsFlags
	c := &cobra.Command{
		Use:   "models",
		Short: "List the available models, and which model does which work and why",
		Example: `  forge models
  forge models --provider openai
  forge models --local --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return listModels(c.Context(), t, f) },
	}
	f.Add(c)
	c.Flags().StringVar(&f.provider, "provider", "", "only this provider, with all of its models")
	c.Flags().BoolVar(&f.local, "local", false, "only providers on this machine")
	return c
}

func listModels(ctx context.Context, t terminal.Terminal, f modelsFlags) error {
	root, err := terminal.Folder(f.Dir)
	if err != nil {
		return err
	}
	p, err := terminal.OpenParts(t, config.Models{})
	if err != nil {
		return err
	}
	defer p.Close()
	if err := f.check(p.Current(ctx, root)); err != nil {
		return err
	}
	found := p.Survey(ctx, root, api.ModelsArgs{Provider: f.provider, Local: f.local})
	if ctx.Err() != nil {
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
	}
	if f.JSON {
		if err := terminal.WriteJSON(t.Out, found); err != nil {
			return err
		}
		return f.ending(found, true)
	}
	if err := f.show(t, found); err != nil {
		return err
	}
	return f.ending(found, false)
}

// check rejects an unknown provider.
func (f modelsFlags) check(s config.Settings) error {
	if s.Err != nil && !f.JSON {
		return terminal.ExitWith(terminal.ExitBlocked, inert.Text(s.Err.Error()))
	}
	named, known := s.Provider(f.provider)
	if known && f.local && !named.Local() {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--provider %s is not on this machine: leave out either it or --local", f.provider))
	}
	if f.provider != "" && s.Err == nil && !known {
		return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--provider %s: unknown; the providers are %s", f.provider, allNames(s)))
	}
	return nil
}

// allNames lists all providers, with and without a key.
func allNames(s config.Settings) string {
	names := make([]string, 0, len(s.Providers))
	for _, p := range s.Providers {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// ending returns the exit code: a named provider that does not answer is a failure, and having no model blocks every run.
func (f modelsFlags) ending(found api.ModelsResult, reported bool) error {
	for _, p := range found.Providers {
		if f.provider == p.Name && p.State != string(route.Answers) {
			return &terminal.ExitError{Code: terminal.ExitFailed}
		}
	}
	for _, tier := range found.Tiers {
		if tier.Tier == string(llm.Generation) && tier.Error != "" && f.provider == "" && !f.local {
			if reported {
				return &terminal.ExitError{Code: terminal.ExitBlocked}
			}
			return terminal.ExitWith(terminal.ExitBlocked, tier.Error)
		}
	}
	return nil
}

// show prints the result for the user.
func (f modelsFlags) show(t terminal.Terminal, found api.ModelsResult) error {
	for _, notice := range found.Notices {
		fmt.Fprintf(t.Err, "[forge] %s\n", inert.Text(notice))
	}
	if found.Offline {
		fmt.Fprintln(t.Err, "[forge] offline: Forge uses servers on this machine only")
	}
	providers := f.providerRows(found)
	if len(providers) == 0 { // only with --local: hosted providers are always listed
		fmt.Fprintln(t.Err, "[forge] no model server answers on this machine: start one, such as Ollama (https://ollama.com)")
		return nil
	}
	if err := terminal.Table(t.Out, append([][]string{{"PROVIDER", "STATE", "WHERE", "KEY", "MODELS"}}, providers...)); err != nil {
		return err
	}
	if f.provider != "" || f.local {
		return f.showModels(t, found)
	}
	if rows := tierRows(found); len(rows) > 0 {
		fmt.Fprintln(t.Out)
		return terminal.Table(t.Out, append([][]string{{"WORK", "MODEL", "TOKENS", "PRICE", "FOR", "WHY"}}, rows...))
	}
	return nil
}

// providerRows omits local servers that no setting names and that do not run.
func (f modelsFlags) providerRows(found api.ModelsResult) [][]string {
	var rows [][]string
	for _, p := range found.Providers {
		if p.Local && p.State == string(route.Silent) && p.Source == "" && f.provider == "" {
			continue
		}
		what := p.Detail
		if p.State == string(route.Answers) {
			what = shortList(p.Models)
		}
		rows = append(rows, []string{p.Name, p.State, p.Where, cmp.Or(p.Key, "-"), cmp.Or(what, "-")})
	}
	return rows
}

// shortList names the first models.
func shortList(models []api.ModelInfo) string {
	const few = 4
	var names []string
	for _, m := range models[:min(few, len(models))] {
		names = append(names, m.Name)
	}
	if more := len(models) - few; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if len(names) == 0 {
		return "none: load one on the server"
	}
	return strings.Join(names, ", ")
}

func (f modelsFlags) showModels(t terminal.Terminal, found api.ModelsResult) error {
	for _, p := range found.Providers {
		if len(p.Models) == 0 {
			continue
		}
		rows := [][]string{{"MODEL", "FAMILY", "CLASS", "TOKENS", "PRICE", "FIT FOR"}}
		for _, m := range p.Models {
			rows = append(rows, []string{
				p.Name + "/" + m.Name, cmp.Or(m.Family, "-"), cmp.Or(m.Class, "-"), tokens(m.Window), price(m.Price), cmp.Or(strings.Join(m.Tiers, ", "), "-"),
			})
		}
		fmt.Fprintln(t.Out)
		if err := terminal.Table(t.Out, rows); err != nil {
			return err
		}
	}
	return nil
}

func tierRows(found api.ModelsResult) [][]string {
	var rows [][]string
	add := func(name string, m api.TierModel) {
		if m.Error == "" {
			why := m.Why
			if m.Delivery != "" {
				why += ", answers as " + m.Delivery
			}
			rows = append(rows, []string{
				name, m.Provider + "/" + m.Model, tokens(m.Window), price(m.Price), cmp.Or(strings.Join(m.Roles, ", "), "-"), why,
			})
		}
	}
	for _, tier := range found.Tiers {
		add(tier.Tier, tier)
	}
	if found.Fallback != nil {
		add("fallback", *found.Fallback)
	}
	return rows
}

// tokens formats the size of a context: 128k, 1M.
func tokens(n int) string {
	switch {
	case n == 0:
		return "-"
	case n < 1000:
		return strconv.Itoa(n)
	case n < 1_000_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strings.TrimSuffix(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".0") + "M"
}

// price formats the price of a million tokens, input and output.
func price(p *api.Price) string {
	switch {
	case p == nil:
		return "-"
	case p.Input == 0 && p.Output == 0:
		return "free"
	}
	return fmt.Sprintf("$%g in, $%g out", p.Input, p.Output)
}
