package patch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// diffHead is the header above the hunks of one file.
type diffHead struct {
	old, now         string // as written; "" if missing
	from, to         string // of a rename
	created, deleted bool
	mode             bool // a change of the mode
}

// head parses the header of one file.
func (p *diffParser) head(h *diffHead) error {
	git := strings.HasPrefix(p.lines[p.at], gitHeader)
	if git {
		h.old, h.now = gitNames(p.lines[p.at][len(gitHeader):])
		p.at++
	}
	for ; git && !p.done() && !p.atNames(); p.at++ {
		switch known, err := p.extended(h); {
		case err != nil:
			return err
		case !known:
			return nil
		}
	}
	if !p.done() && p.atNames() {
		h.old, h.now = diffName(p.lines[p.at][len(oldFile):]), diffName(p.lines[p.at+1][len(newFile):])
		p.at += 2
	}
	return nil
}

// extended parses one of git's own header lines.
func (p *diffParser) extended(h *diffHead) (known bool, err error) {
	line := p.lines[p.at]
	for _, form := range []struct {
		begin string
		read  func(rest string)
	}{
		{"new file mode ", func(string) { h.created = true }},
		{"deleted file mode ", func(string) { h.deleted = true }},
		{"rename from ", func(name string) { h.from = diffName(name) }},
		{"rename to ", func(name string) { h.to = diffName(name) }},
		{"old mode ", func(string) { h.mode = true }},
		{"new mode ", func(string) { h.mode = true }},
		{"similarity index ", func(string) {}},
		{"dissimilarity index ", func(string) {}},
		{"index ", func(string) {}},
	} {
		if rest, ok := strings.CutPrefix(line, form.begin); ok {
			form.read(rest)
			return true, nil
		}
	}
	for _, begin := range []string{"copy from ", "Binary files ", "GIT binary patch"} {
		if strings.HasPrefix(line, begin) {
			return false, p.fail("%q is not supported: patches can only change text, and not copy files", Clip(line, 60))
		}
	}
	return false, nil
}

// op returns the operation that the header and its hunks describe; cause is why they describe none.
func (h diffHead) op(hunks []Hunk) (op FileOp, cause string) {
	old, now := h.names()
	switch {
	case h.from != "" && h.to != "":
		return FileOp{Kind: Move, Path: plainPath(h.from), To: plainPath(h.to), Hunks: hunks}, ""
	case old == "" && now == "":
		return FileOp{}, `the path is missing: write "--- path" and "+++ path" above the first hunk`
	case h.created || old == noFile:
		return created(now, hunks)
	case h.deleted || now == noFile:
		return FileOp{Kind: Delete, Path: old, Hunks: hunks}, ""
	case len(hunks) == 0 && h.mode:
		return FileOp{}, fmt.Sprintf("only the mode of %s changes, which is not supported", now)
	case len(hunks) == 0:
		return FileOp{}, fmt.Sprintf("the diff of %s is empty: it needs at least one hunk", now)
	}
	return FileOp{Kind: Update, Path: now, Hunks: hunks}, ""
}

// names returns the names without git's prefixes "a/" and "b/".
func (h diffHead) names() (old, now string) {
	old, now = h.old, h.now
	if strings.HasPrefix(old, "a/") && strings.HasPrefix(now, "b/") || old == noFile || now == noFile {
		old, now = strings.TrimPrefix(old, "a/"), strings.TrimPrefix(now, "b/")
	}
	return plainPath(old), plainPath(now)
}

// created returns the creation of a file from hunks that only add lines.
func created(path string, hunks []Hunk) (op FileOp, cause string) {
	var b strings.Builder
	for _, h := range hunks {
		for _, line := range h.Lines {
			if line.Kind == Remove || line.Kind == Context && line.Text != "" {
				return FileOp{}, fmt.Sprintf("%s is marked as new, but has old lines", path)
			}
			b.WriteString(line.Text + "\n")
		}
	}
	content := b.String()
	if slices.ContainsFunc(hunks, func(h Hunk) bool { return h.Final == EndCut }) {
		content = strings.TrimSuffix(content, "\n")
	}
	return FileOp{Kind: Create, Path: path, Content: content}, ""
}

// diffName parses a name: up to a tab, which diff tools put before the time, or quoted as git does.
func diffName(text string) string {
	text, _, _ = strings.Cut(text, "\t")
	text = strings.TrimSpace(text)
	if name, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return name
	}
	return text
}

// gitNames parses the two names after "diff --git", which are separated by a space. It only recognises equal names; others are in the
// lines below.
func gitNames(text string) (old, now string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, `"`) {
		first, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", ""
		}
		return diffName(first), diffName(text[len(first):])
	}
	half := len(text) / 2
	if len(text)%2 == 0 || text[half] != ' ' {
		return "", ""
	}
	old, now = text[:half], text[half+1:]
	if strings.TrimPrefix(old, "a/") != strings.TrimPrefix(now, "b/") {
		return "", ""
	}
	return old, now
}
