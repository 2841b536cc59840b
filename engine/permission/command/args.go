package command

import (
	"slices"
	"strings"
)

// args are the arguments of a program.
type args struct {
	name  string
	list  []string
	depth int
}

// has reports whether a whole argument is given.
func (a args) has(one string) bool { return slices.Contains(a.list, one) }

func (a args) any(of ...string) bool { return slices.ContainsFunc(of, a.has) }

// short reports whether an option of one letter is given, alone or with others (-rf).
func (a args) short(letters string) bool {
	return slices.ContainsFunc(a.list, func(s string) bool {
		return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.ContainsAny(s[1:], letters)
	})
}

// long reports whether an option is given by its long name, or a beginning of it, with or without a value.
func (a args) long(names ...string) bool {
	return slices.ContainsFunc(a.list, func(s string) bool {
		option, _, _ := strings.Cut(s, "=")
		return slices.ContainsFunc(names, func(name string) bool { return len(option) > 3 && strings.HasPrefix(name, option) })
	})
}

// contains reports whether an argument contains one of the texts, whatever their case.
func (a args) contains(texts ...string) bool {
	return slices.ContainsFunc(a.list, func(s string) bool {
		lower := strings.ToLower(s)
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(lower, t) })
	})
}

// plain are the arguments that are no options.
func (a args) plain() (all []string) {
	for i, s := range a.list {
		if s == "--" {
			return append(all, a.list[i+1:]...)
		}
		if s == "-" || !strings.HasPrefix(s, "-") {
			all = append(all, s)
		}
	}
	return all
}

// verb is the first plain argument, in lower case; empty if there is none.
func (a args) verb() string {
	if plain := a.plain(); len(plain) > 0 {
		return strings.ToLower(plain[0])
	}
	return ""
}

// after are the arguments behind one of them.
func (a args) after(one string) []string {
	if at := slices.Index(a.list, one); at >= 0 {
		return a.list[at+1:]
	}
	return nil
}

// value is that of an option, given as "-o x", "-ox" or "--option=x".
func (a args) value(options ...string) string {
	for i, s := range a.list {
		for _, option := range options {
			switch {
			case s == option && i+1 < len(a.list):
				return a.list[i+1]
			case strings.HasPrefix(option, "--") && strings.HasPrefix(s, option+"="):
				return s[len(option)+1:]
			case !strings.HasPrefix(option, "--") && strings.HasPrefix(s, option) && len(s) > len(option):
				return s[len(option):]
			}
		}
	}
	return ""
}
