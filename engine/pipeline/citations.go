package pipeline

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"forge/engine/graph"
	"forge/engine/pipeline/judge"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// isCitation matches path:line and path:first-last, with a closing backtick.
var isCitation = lazyregexp.New("[\\w.@~+-]+(?:/[\\w.@~+-]+)*\\.[A-Za-z]\\w*:([0-9]+)(?:-([0-9]+))?`?")

// citations marks what an answer cites and the folder does not have. The answer is not sent back: it may be right all the same, and a second
// one costs as much as the first.
type citations struct {
	paths []string // of the folder
	lines func(path string) (int, error)
}

// checked returns an answer with a mark after each citation of a file that does not exist, or of a line beyond its end.
func (r *reader) checked(ctx context.Context, n graph.Node, answer string) (string, error) {
	if r.run.Listing == nil || r.run.Listing.Total > len(r.run.Listing.Paths) {
		return answer, nil // what is missing cannot be told from what is not listed
	}
	files := judge.NewPlacing(ctx, r.run, n, r.run.Folder(), patch.ChangeSet{})
	counts := map[string]int{}
	c := citations{paths: r.run.Listing.Paths, lines: func(path string) (int, error) {
		if count, known := counts[path]; known {
			return count, nil
		}
		text, _, err := files.Text(path)
		counts[path] = strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		return counts[path], err
	}}
	return c.mark(answer)
}

// mark leaves blocks of code as they are: what looks like a citation in them is text of the code.
func (c citations) mark(answer string) (string, error) {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(answer) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fenced = fenced != fence; fenced || fence {
			b.WriteString(line)
			continue
		}
		marked, err := c.markLine(line)
		if err != nil {
			return "", err
		}
		b.WriteString(marked)
	}
	return b.String(), nil
}

func (c citations) markLine(line string) (string, error) {
	var b strings.Builder
	end := 0
	for _, at := range isCitation.FindAllStringSubmatchIndex(line, -1) {
		before, cited := line[:at[0]], line[at[0]:at[1]]
		if strings.HasSuffix(before, "/") || strings.HasSuffix(before, "](") { // of a URL, or the target of a link
			continue
		}
		last := line[at[2]:at[3]]
		if at[4] >= 0 {
			last = line[at[4]:at[5]]
		}
		fault, err := c.fault(cited[:strings.LastIndexByte(cited, ':')], last)
		if err != nil {
			return "", err
		}
		if fault != "" {
			b.WriteString(line[end:at[1]] + " (" + fault + ")")
			end = at[1]
		}
	}
	return b.String() + line[end:], nil
}

// fault returns what is wrong with a citation; "" if nothing is. Models shorten paths: the end of one is enough.
func (c citations) fault(name, line string) (string, error) {
	number, err := strconv.Atoi(line)
	if err != nil {
		return "not found", nil //nolint:nilerr // the number is too large for a line
	}
	longest, found := 0, false
	for _, file := range c.paths {
		if !strings.HasSuffix(file, name) {
			continue
		}
		lines, err := c.lines(file)
		if err != nil {
			return "", err
		}
		longest, found = max(longest, lines), true
	}
	switch {
	case found && number <= longest:
		return "", nil
	case found:
		return fmt.Sprintf("not found: the file has %d lines", longest), nil
	case !strings.Contains(name, "/") && !slices.ContainsFunc(c.paths, func(p string) bool { return path.Ext(p) == path.Ext(name) }):
		return "", nil // the name of a host, say
	}
	return "not found", nil
}
