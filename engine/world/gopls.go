package world

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"forge/engine/sandbox"
	"forge/engine/tool"
	"forge/internal/lazyregexp"
)

// verdict matches the message of gopls if it understands the code and refuses the rename: the name is taken or invalid.
var verdict = lazyregexp.New(`(?i)renam|conflict|identifier|shadow|not exported|would`)

// gopls renames a Go identifier. It writes the new texts into the tree, and they are read from there; the tree is reset afterwards.
func gopls(ctx context.Context, s Servers, r tool.Renaming) (tool.Renamed, error) {
	dir := s.above(r.Path, "go.work", "go.mod")
	file := strings.TrimPrefix(strings.TrimPrefix(r.Path, dir), "/")
	result, err := s.start(ctx, sandbox.Command{
		Argv: []string{"gopls", "rename", "-w", "-l", fmt.Sprintf("%s:#%d", file, r.At), r.To}, Dir: dir, Timeout: s.limit(),
		Env: []string{"GOFLAGS=-mod=readonly", "GOPROXY=off"},
	})
	var missing *sandbox.NotStartedError
	switch {
	case ctx.Err() != nil:
		return tool.Renamed{}, ctx.Err()
	case errors.As(err, &missing):
		return tool.Renamed{Why: "gopls is not installed: go install golang.org/x/tools/gopls@latest"}, nil
	case err != nil:
		return tool.Renamed{}, err
	case result.TimedOut:
		return tool.Renamed{Why: fmt.Sprintf("gopls did not load the module within %v", s.limit())}, nil
	case result.ExitCode != 0:
		said := wordsAt(string(result.Stderr))
		if verdict.MatchString(said) {
			return tool.Renamed{By: "gopls", Refused: said}, nil
		}
		return tool.Renamed{Why: "gopls failed: " + said}, nil
	}
	done := tool.Renamed{By: "gopls", After: map[string]string{}}
	for name := range strings.Lines(string(result.Stdout)) {
		if err := s.read(&done, r, dir, strings.TrimSpace(name)); err != nil {
			return tool.Renamed{By: "gopls", Refused: err.Error()}, nil //nolint:nilerr // it is the answer
		}
	}
	return done, nil
}

// read reads a file that a server has written.
func (s Servers) read(done *tool.Renamed, r tool.Renaming, dir, name string) error {
	rel, inside := s.rel(dir, name)
	if _, known := r.Texts[rel]; name == "" || !inside || !known {
		return fmt.Errorf("it would change %s, which is not a file of the folder that contains the name", path.Base(name))
	}
	text, err := s.Tree.ReadFile(rel)
	if err != nil {
		return fmt.Errorf("its new text of %s cannot be read: %w", rel, err)
	}
	done.After[rel] = string(text)
	return nil
}

// firstLine returns the first line of a server's message.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// wordsAt returns the last message of gopls on one line, without its log.
func wordsAt(text string) string {
	text = "\n" + strings.TrimSpace(text)
	if at := strings.LastIndex(text, "\ngopls: "); at >= 0 {
		text = text[at+len("\ngopls: "):]
	}
	return strings.Join(strings.Fields(text), " ")
}
