package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"forge/internal/lazyregexp"
)

// parsing matches the prefix of errors of Go's parsers; the flag and the value are named before it.
var parsing = lazyregexp.New(`: strconv\.Parse\w+: parsing ".*": `)

// flagFault returns what is wrong with a flag: without the name of a Go function, and with the flag that was probably meant.
func flagFault(c *cobra.Command, err error) error {
	text := parsing.ReplaceAllString(err.Error(), ": ")
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		if meant := nearestFlag(c.Flags(), unknown.GetSpecifiedName()); meant != "" {
			return fmt.Errorf("%s; did you mean --%s?", text, meant)
		}
	}
	return errors.New(text)
}

// nearestFlag returns the flag that was probably meant; "" if there is none. It suggests flags as cobra suggests commands.
func nearestFlag(flags *pflag.FlagSet, typed string) string {
	const most = 2 // mistakes, as cobra allows in the names of commands
	names := &cobra.Command{SuggestionsMinimumDistance: min(most, len(typed)/2)}
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	nearest := names.SuggestionsFor(typed)
	if len(nearest) == 0 {
		return ""
	}
	return nearest[0]
}
