package proposal

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
	"forge/patch"
)

// placeAmong returns a hunk's edit of a text as one of the text with the typed edits. It fails if both change the same lines, or if what
// was typed directly beside the hunk may belong on either side of it. The typed edits are ordered, and no two of them touch.
func placeAmong(text string, hunk patch.Edit, typed []patch.Edit) (placed patch.Edit, ok bool) {
	by := 0
	for _, e := range typed {
		above := e.End <= hunk.Start
		if touch(e, hunk) {
			if above, ok = (border{text, hunk, e}).isAbove(); !ok {
				return patch.Edit{}, false
			}
		}
		if above {
			by += len(e.New) - (e.End - e.Start)
		}
	}
	return patch.Edit{Start: hunk.Start + by, End: hunk.End + by, New: hunk.New}, true
}

// border is where a hunk and an edit that the user typed meet in a text.
type border struct {
	text        string
	hunk, typed patch.Edit
}

// isAbove reports whether what was typed stays above the hunk; ok is false if that is unknown, or if they overlap.
func (b border) isAbove() (above, ok bool) {
	if b.typed.Start < b.hunk.End && b.hunk.Start < b.typed.End {
		return false, false
	}
	above = b.typed.End <= b.hunk.Start
	switch adds := b.hunk.Start == b.hunk.End; {
	case !adds && above:
		ok = !b.occursIn(first(b.replaced()))
	case !adds:
		ok = !b.occursIn(last(b.replaced()))
	case b.typed.Start == b.typed.End:
		above, ok = b.stays(), b.areSiblings() && !b.occursIn(b.lineAbove()) && !b.occursIn(b.lineBelow())
	default:
		ok = b.isBesideAdded(above)
	}
	return above, ok && b.endsLines(above)
}

// isBesideAdded reports whether a hunk that only adds lines keeps to the line on its other side: what was typed replaces the lines on this one.
func (b border) isBesideAdded(above bool) bool {
	kept, strays := b.lineAbove(), follows.MatchString(first(b.typed.New))
	if above {
		kept, strays = b.lineBelow(), leads.MatchString(last(b.typed.New))
	}
	return !strays && !b.occursIn(kept) && (!b.grows() || b.areSiblings())
}

// endsLines reports whether the upper one of both ends with the end of a line, so that the other one can follow.
func (b border) endsLines(above bool) bool {
	upper, lower := b.hunk, b.typed
	if above {
		upper, lower = lower, upper
	}
	return ended(upper.New) && ended(b.text[:lower.Start])
}

// stays reports whether lines that were typed where the hunk only adds lines stay directly below the line above them. Else they
// stay directly above the line below them, as a comment must.
func (b border) stays() bool {
	if blank(b.hunk.New) || blank(b.typed.New) {
		return false
	}
	hunk, typed := patch.SplitLines(b.hunk.New), patch.SplitLines(b.typed.New)
	return blank(hunk[0]) && !blank(typed[0]) || leads.MatchString(hunk[len(hunk)-1]) && !leads.MatchString(typed[len(typed)-1])
}

var (
	// leads matches a line that belongs to the line below it: a comment, a decorator.
	leads = lazyregexp.New(`^\s*(//|#|/\*|\*|--|;|@|<!--)`)
	// follows matches a line that belongs to the line above it.
	follows = lazyregexp.New(`^\s*((else|elif|elsif|elseif|catch|except|rescue|ensure|finally|then|do|end|fi|done|esac)\b|[.,&|?:+)\]}])`)
)

// areSiblings reports whether the typed lines and those of the hunk are complete, and on one level, so that either may be first.
func (b border) areSiblings() bool {
	hunk, typed := first(b.hunk.New), first(b.typed.New)
	if blank(b.typed.New) || blank(b.hunk.New) {
		return true
	}
	return isWhole(b.hunk.New) && isWhole(b.typed.New) && indentation(hunk) == indentation(typed) && !follows.MatchString(typed)
}

// grows reports whether the typed lines are more than those that they replace, so that it is unknown which of them are new.
func (b border) grows() bool {
	was := patch.SplitLines(b.text[b.typed.Start:b.typed.End])
	return len(patch.SplitLines(b.typed.New)) > len(was)
}

// occursIn reports whether a line is among those that were typed or removed, so that the text does not show which copy of it is new.
func (b border) occursIn(line string) bool {
	if blank(line) {
		return false
	}
	changed := append(patch.SplitLines(b.typed.New), patch.SplitLines(b.text[b.typed.Start:b.typed.End])...)
	return slices.ContainsFunc(changed, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(line) })
}

func (b border) replaced() string { return b.text[b.hunk.Start:b.hunk.End] }

func (b border) lineAbove() string {
	above := patch.SplitLines(b.text[:b.hunk.Start])
	return strings.Join(above[max(len(above)-1, 0):], "")
}

func (b border) lineBelow() string {
	below := patch.SplitLines(b.text[b.hunk.End:])
	return strings.Join(below[:min(len(below), 1)], "")
}

// first returns the first line of a text that is not blank, and last the last one.
func first(text string) string {
	lines := patch.SplitLines(text)
	i := slices.IndexFunc(lines, func(line string) bool { return !blank(line) })
	return strings.Join(lines[max(i, 0):min(max(i, 0)+1, len(lines))], "")
}

func last(text string) string {
	lines := patch.SplitLines(text)
	slices.Reverse(lines)
	return first(strings.Join(lines, ""))
}

// ended reports whether a text ends with the end of a line, if it is not empty.
func ended(text string) bool { return text == "" || patch.LineEnd(text) != "" }

// isWhole reports whether lines begin on the outermost of their levels, and close every bracket that they open, and no other one.
func isWhole(text string) bool {
	outer := indentation(first(text))
	for _, line := range patch.SplitLines(text) {
		if !blank(line) && !strings.HasPrefix(indentation(line), outer) {
			return false
		}
	}
	depth := 0
	for _, r := range text {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }
