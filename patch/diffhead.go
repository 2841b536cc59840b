package patch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// diffHead is what stands above the hunks of one file.
type diffHead struct {
	old, now         string // names as they stand there; "" if there are none
	from, to         string // of a rename
	created, deleted bool
	mode             bool // only the mode may change
}

// head reads the lines above the hunks of one file.
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

// extended reads one of git's own lines.
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
			return false, p.fail("%q cannot be applied here: only text is changed, and nothing copied", Clip(line, 60))
		}
	}
	return false, nil
}

// op is what the head and the hunks below it say of a file; cause is why they say nothing.
func (h diffHead) op(hunks []Hunk) (op FileOp, cause string) {
	old, now := h.names()
	switch {
	case h.from != "" && h.to != "":
		return FileOp{Kind: Move, Path: plainPath(h.from), To: plainPath(h.to), Hunks: hunks}, ""
	case old == "" && now == "":
		return FileOp{}, `there is no path: write "--- path" and "+++ path" above the first hunk`
	case h.created || old == noFile:
		return created(now, hunks)
	case h.deleted || now == noFile:
		return FileOp{Kind: Delete, Path: old, Hunks: hunks}, ""
	case len(hunks) == 0 && h.mode:
		return FileOp{}, fmt.Sprintf("only the mode of %s changes, which is not done here", now)
	case len(hunks) == 0:
		return FileOp{}, fmt.Sprintf("the diff of %s is empty: it needs at least one hunk", now)
	}
	return FileOp{Kind: Update, Path: now, Hunks: hunks}, ""
}

// names returns the names without the "a/" and "b/" that git puts before them.
func (h diffHead) names() (old, now string) {
	old, now = h.old, h.now
	if strings.HasPrefix(old, "a/") && strings.HasPrefix(now, "b/") || old == noFile || now == noFile {
		old, now = strings.TrimPrefix(old, "a/"), strings.TrimPrefix(now, "b/")
	}
	return plainPath(old), plainPath(now)
}

// created makes a new file of hunks that only add.
func created(path string, hunks []Hunk) (op FileOp, cause string) {
	var b strings.Builder
	for _, h := range hunks {
		for _, line := range h.Lines {
			if line.Kind == Remove || line.Kind == Context && line.Text != "" {
				return FileOp{}, fmt.Sprintf("%s is said to be new, but has old lines", path)
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

// diffName reads a name: up to a tab, behind which diff tools put the time, or quoted as git does.
func diffName(text string) string {
	text, _, _ = strings.Cut(text, "\t")
	text = strings.TrimSpace(text)
	if name, err := strconv.Unquote(text); err == nil && strings.HasPrefix(text, `"`) {
		return name
	}
	return text
}

// gitNames reads the two names behind "diff --git", which nothing divides but a space. It recognises
// only names that are the same on both sides; others are in the lines below.
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
