package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The words that are searched for in Go's own source, and their files.
const (
	treeRequest = "http server mux that routes requests to handlers by pattern"
	treeSymbol  = "ServeMux"
	treeFile    = "net/http/server.go"
	treeOpen    = "strings/builder.go" // the document that is changed
)

// How often things are measured in the tree.
const (
	treeStarts  = 3
	treeQueries = 300
	treeEdits   = 40
)

// treeFigures are the samples of one server: seconds, MiB and milliseconds.
type treeFigures struct {
	first, complete, warm, memory sample
	symbols, requests, unsaved    sample
}

// measureTree measures the index of Go's own source tree: some 7,700 files, 90 MB. gopls does the part of it
// that it knows, and universal-ctags lists the symbols once.
func measureTree(ctx context.Context, b *bench) ([]row, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go's source: %w", err)
	}
	tree := workspace{root: filepath.Join(strings.TrimSpace(string(goroot)), "src")}
	text, err := os.ReadFile(filepath.Join(tree.root, treeOpen))
	if err != nil {
		return nil, fmt.Errorf("read Go's source: %w", err)
	}
	tree.text = string(text)
	var forge, gopls treeFigures
	for range treeStarts {
		err = errors.Join(err, b.treeOnce(ctx, b.forge, tree, &forge))
	}
	err = errors.Join(err, b.treeOnce(ctx, b.gopls, tree, &gopls))
	tags, tagsErr := timeTags(ctx, tree.root)
	err = errors.Join(err, tagsErr)
	at := func(name, unit string, percent float64, a, b sample, goals ...goal) row {
		row := row{name: name, unit: unit, goals: goals, forge: number(a.percentile(percent)), gopls: number(b.percentile(percent))}
		if len(b) == 0 {
			row.gopls = missing
		}
		return row
	}
	return []row{
		at("Go's source, first answer p50", "s", 50, forge.first, gopls.first, atMost(1.5)),
		at("Go's source, all symbols p50", "s", 50, forge.complete, gopls.complete, atMost(10)),
		{name: "all symbols; beside: ctags -R", unit: "s", forge: number(forge.complete.percentile(50)), gopls: tags},
		at("Go's source, warm start p50", "s", 50, forge.warm, gopls.warm, atMost(0.5)),
		at("Go's source, RSS max", "MiB", 100, forge.memory, gopls.memory, atMost(300)),
		at("symbols by name p50", "ms", 50, forge.symbols, gopls.symbols, atMost(20)),
		at("symbols by name p99", "ms", 99, forge.symbols, gopls.symbols, atMost(60)),
		at("request in words p50", "ms", 50, forge.requests, nil, atMost(20)),
		at("request in words p99", "ms", 99, forge.requests, nil, atMost(60)),
		at("unsaved change visible p50", "ms", 50, forge.unsaved, gopls.unsaved),
		at("unsaved change visible p95", "ms", 95, forge.unsaved, gopls.unsaved, atMost(50)),
	}, err
}

// treeOnce measures one cold and one warm start of a server, in a state folder of its own.
func (b *bench) treeOnce(ctx context.Context, p program, tree workspace, f *treeFigures) error {
	home, err := os.MkdirTemp("", "forge-bench-tree-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	p.env = append(p.env, "FORGE_HOME="+home, "XDG_CACHE_HOME="+home)
	if err := inTree(ctx, p, tree, func(s *server) error { return s.treeCold(ctx, p, tree, f) }); err != nil {
		return fmt.Errorf("%s in Go's source: %w", p.name, err)
	}
	err = inTree(ctx, p, tree, func(s *server) error {
		if err := s.untilFound(ctx, p); err != nil {
			return err
		}
		f.warm = append(f.warm, time.Since(s.started).Seconds())
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s again in Go's source: %w", p.name, err)
	}
	return nil
}

func inTree(ctx context.Context, p program, tree workspace, f func(s *server) error) error {
	s, err := start(ctx, p, tree)
	if err != nil {
		return err
	}
	err = s.initialize(ctx, tree)
	if err == nil {
		err = s.notify("initialized", struct{}{})
	}
	if err == nil {
		err = f(s)
	}
	return errors.Join(err, s.stop(ctx))
}

// treeCold measures a server that knows nothing yet, from before its process is made.
func (s *server) treeCold(ctx context.Context, p program, tree workspace, f *treeFigures) error {
	if err := s.untilFound(ctx, p); err != nil {
		return err
	}
	f.first = append(f.first, time.Since(s.started).Seconds())
	if err := s.until(ctx, patiently, func() (bool, error) { return s.hasSymbol(ctx, treeSymbol, treeFile) }); err != nil {
		return err
	}
	if p.name == "forge" {
		if err := s.until(ctx, patiently, func() (bool, error) { return s.isComplete(ctx) }); err != nil {
			return err
		}
	}
	f.complete = append(f.complete, time.Since(s.started).Seconds())
	peak, err := procField(s.cmd.Process.Pid, "status", "VmHWM:")
	if err != nil {
		return err
	}
	f.memory = append(f.memory, peak/mebibyte)
	return errors.Join(s.timeQueries(ctx, p, f), s.timeUnsaved(ctx, tree, f))
}

// untilFound waits for the first useful answer: of Forge to a request in words, of gopls to a symbol's name.
func (s *server) untilFound(ctx context.Context, p program) error {
	return s.until(ctx, patiently, func() (bool, error) {
		if p.name != "forge" {
			return s.hasSymbol(ctx, treeSymbol, treeFile)
		}
		found, err := s.search(ctx, treeRequest)
		return found.has(treeFile), err
	})
}

// How often a server is asked. While it reads a folder, not more often than the user types: a question takes processor
// time that the server is measured with.
const (
	patiently = 50 * time.Millisecond
	closely   = 5 * time.Millisecond
)

// until asks again and again, for as long as answerLimit.
func (s *server) until(ctx context.Context, every time.Duration, f func() (bool, error)) error {
	limit := time.Now().Add(answerLimit)
	for {
		done, err := f()
		if done || err != nil {
			return err
		}
		if time.Now().After(limit) {
			return errors.New("the server never finds what is there")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
}

// found is what Forge answers to a search.
type found struct {
	Complete bool
	Hits     []struct{ Path string }
}

func (f found) has(path string) bool {
	for _, hit := range f.Hits {
		if hit.Path == path {
			return true
		}
	}
	return false
}

func (s *server) search(ctx context.Context, text string) (found, error) {
	answer, err := s.execute(ctx, "forge.search", map[string]any{"text": text, "limit": 10})
	if err != nil {
		return found{}, err
	}
	var f found
	if err := json.Unmarshal(answer, &f); err != nil {
		return found{}, fmt.Errorf("read the hits: %w", err)
	}
	return f, nil
}

func (s *server) isComplete(ctx context.Context) (bool, error) {
	f, err := s.search(ctx, treeRequest)
	return f.Complete, err
}

// hasSymbol asks for a symbol by its name and reports whether the answer has it in the file.
func (s *server) hasSymbol(ctx context.Context, name, file string) (bool, error) {
	answer, err := s.call(ctx, "workspace/symbol", map[string]any{"query": name})
	if err != nil {
		return false, err
	}
	var symbols []struct {
		Name     string
		Location struct{ URI string }
	}
	if !bytes.Equal(answer, []byte("null")) {
		err = json.Unmarshal(answer, &symbols)
	}
	for _, symbol := range symbols {
		if strings.HasSuffix(symbol.Name, name) && strings.HasSuffix(symbol.Location.URI, file) {
			return true, err
		}
	}
	return false, err
}

// treeNames are symbols of Go's source, and treeWords what people ask for.
var (
	treeNames = []string{"ServeMux", "Builder", "ParseFile", "Decoder", "Dial", "WaitGroup", "Regexp", "Scanner", "Reader", "Time"}
	treeWords = []string{
		"fix data race when closing idle connections", "parse duration with fractional units", "speed up sorting of small slices",
		"wrong escape of quotes in json strings", "tls handshake timeout", "garbage collector pacing", "walk a directory tree",
		"compiler inlines a function with defer", "support for zip64 archives", "template function eq on different types",
	}
)

func (s *server) timeQueries(ctx context.Context, p program, f *treeFigures) error {
	for i := range treeQueries {
		began := time.Now()
		if _, err := s.hasSymbol(ctx, treeNames[i%len(treeNames)], ""); err != nil {
			return err
		}
		f.symbols.add(time.Since(began))
		if p.name != "forge" {
			continue
		}
		began = time.Now()
		answer, err := s.search(ctx, treeWords[i%len(treeWords)])
		if err != nil {
			return err
		}
		f.requests.add(time.Since(began))
		if len(answer.Hits) == 0 {
			return fmt.Errorf("nothing is found for %q: no answer is a quick one", treeWords[i%len(treeWords)])
		}
	}
	return nil
}

// timeUnsaved adds functions to an open document and waits until each is found by its name.
func (s *server) timeUnsaved(ctx context.Context, tree workspace, f *treeFigures) error {
	uri := tree.uri(treeOpen)
	err := s.notify("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": tree.text},
	})
	for i := 0; i < treeEdits && err == nil; i++ {
		name := fmt.Sprintf("benchUnsaved%d", i)
		began := time.Now()
		end := strings.Count(tree.text, "\n")
		err = s.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": uri, "version": i + 2},
			"contentChanges": []any{edit(span(end, 0, end, 0), "func "+name+"() {}\n")},
		})
		if err == nil {
			err = s.until(ctx, closely, func() (bool, error) { return s.hasSymbol(ctx, name, treeOpen) })
		}
		f.unsaved.add(time.Since(began))
	}
	return err
}

// timeTags is how long universal-ctags takes to list the symbols of the tree, in seconds.
func timeTags(ctx context.Context, root string) (value, error) {
	ctags, err := exec.LookPath("ctags")
	if err != nil {
		return value{none: "not there"}, nil
	}
	folder, err := os.MkdirTemp("", "forge-bench-tags-")
	if err != nil {
		return missing, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	began := time.Now()
	cmd := exec.CommandContext(ctx, ctags, "-R", "--fields=+neK", "-f", filepath.Join(folder, "tags"), ".")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return value{none: "failed"}, fmt.Errorf("ctags in Go's source: %w: %s", err, out)
	}
	return number(time.Since(began).Seconds()), nil
}
