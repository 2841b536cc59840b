package terminal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The annotations of flags that CheckFlags reads.
const (
	takesOnly = "forge_takes_only"
	leaves    = "forge_leaves" // and for one value of the flag: "forge_leaves=VALUE"
	needs     = "forge_needs"
)

// TakesOnly declares that a command with a flag reads only the others.
func TakesOnly(c *cobra.Command, flag string, others ...string) {
	annotate(c, flag, takesOnly, others)
}

// Leaves declares that a command with a flag reads all others but these.
func Leaves(c *cobra.Command, flag string, others ...string) {
	annotate(c, flag, leaves, others)
}

// LeavesAt is Leaves for one value of the flag.
func LeavesAt(c *cobra.Command, flag, value string, others ...string) {
	annotate(c, flag, leaves+"="+value, others)
}

// Needs declares that a flag has an effect only with one of the others, of which the command may lack some.
func Needs(c *cobra.Command, flag string, others ...string) {
	annotate(c, flag, needs, append(c.Flags().Lookup(flag).Annotations[needs], strings.Join(others, " ")))
}

func annotate(c *cobra.Command, flag, key string, values []string) {
	if err := c.Flags().SetAnnotation(flag, key, values); err != nil {
		panic(err) // the command has no such flag
	}
}

// CheckFlags returns an error for a flag that the command would not read: a user who sets one expects an effect.
func CheckFlags(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && given(f) {
			err = checkFlag(c, f)
		}
	})
	return err
}

// checkFlag compares a flag that the user has set with what is declared of it.
func checkFlag(c *cobra.Command, f *pflag.Flag) error {
	name, valued := "--"+f.Name, "--"+f.Name+" "+f.Value.String()
	if others, is := f.Annotations[takesOnly]; is {
		return OnlyFlags(c, name, append([]string{f.Name}, others...)...)
	}
	err := WithoutFlags(c, name, f.Annotations[leaves]...)
	if err == nil {
		err = WithoutFlags(c, valued, f.Annotations[leaves+"="+f.Value.String()]...)
	}
	for _, group := range f.Annotations[needs] {
		others := slices.DeleteFunc(strings.Fields(group), func(name string) bool { return c.Flags().Lookup(name) == nil })
		if err == nil && !slices.ContainsFunc(others, func(name string) bool { return given(c.Flags().Lookup(name)) }) {
			err = fmt.Errorf("%s has no effect here: add %s, or leave it out", name, flagNames(others, " or "))
		}
	}
	return err
}

// OnlyFlags returns an error for each flag that a form of a command does not read; it reads those of takes.
func OnlyFlags(c *cobra.Command, form string, takes ...string) error {
	return withoutFlags(c, form, func(name string) bool { return !slices.Contains(takes, name) })
}

// WithoutFlags is OnlyFlags for a form that reads all flags but those of leaves.
func WithoutFlags(c *cobra.Command, form string, leaves ...string) error {
	return withoutFlags(c, form, func(name string) bool { return slices.Contains(leaves, name) })
}

func withoutFlags(c *cobra.Command, form string, unread func(name string) bool) error {
	var left []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if given(f) && unread(f.Name) {
			left = append(left, f.Name)
		}
	})
	switch len(left) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s does not use --%s: leave it out", form, left[0])
	}
	return fmt.Errorf("%s does not use %s: leave them out", form, flagNames(left, " and "))
}

// given reports whether the user has set a flag. One that is set to its default, as scripts do, is as good as left out.
func given(f *pflag.Flag) bool {
	return f.Changed && f.Value.String() != f.DefValue
}

// flagNames lists flags in a sentence.
func flagNames(names []string, last string) string {
	text := "--" + names[0]
	for i, name := range names[1:] {
		between := ", "
		if i == len(names)-2 {
			between = last
		}
		text += between + "--" + name
	}
	return text
}

// OnlyJSON adds --json to a command that prints nothing but JSON lines: as to other commands it may be given, but --json=false is an error.
func OnlyJSON(c *cobra.Command) {
	c.Flags().BoolFunc("json", "print JSON lines, which is the only format", func(value string) error {
		if on, err := strconv.ParseBool(value); err != nil || !on {
			return errors.New("JSON lines are the only format")
		}
		return nil
	})
}
