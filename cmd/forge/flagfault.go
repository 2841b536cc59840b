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

// flagFault says what is wrong with a flag: without the name of a Go function, and with the flag that was probably meant.
func flagFault(c *cobra.Command, err error) error {
	text := parsing.ReplaceAllString(err.Error(), ": ")
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		if meant := nearestFlag(c.Flags(), unknown.GetSpecifiedName()); meant != "" {
			return fmt.Errorf("%s; did you mean --%s?", text, meant)
		}
	}
	return errors.New(text)
}

// nearestFlag returns the visible flag whose name differs least from what was typed; "" if none is close.
func nearestFlag(flags *pflag.FlagSet, typed string) (nearest string) {
	const most = 2 // mistakes, as cobra allows in the names of commands
	least := min(most, len(typed)/2)
	flags.VisitAll(func(f *pflag.Flag) {
		if d := distance(f.Name, typed); !f.Hidden && (d < least || d == least && nearest == "") {
			nearest, least = f.Name, d
		}
	})
	return nearest
}

// distance is how many letters must be added, removed or replaced to make one word of another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
