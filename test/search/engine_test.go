// Package search measures what each signal of the search is worth. Its test binary is a server of `search --batch` in
// which signals can be switched off; run.sh lets a scorer ask it, once whole and once without each signal.
package search

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
	"forge/codeintel/search"
	"forge/codeintel/treesitter"
)

// TestMain serves when it is called as `ablation [--without SIGNAL]... search --batch --root DIR`, lists the signals when
// called as `ablation signals`, and runs the tests otherwise.
func TestMain(m *testing.M) {
	args := os.Args[1:]
	switch {
	case slices.Equal(args, []string{"signals"}):
		for _, name := range search.Signals() {
			fmt.Println(name)
		}
	case slices.Contains(args, "--batch"):
		if err := serve(context.Background(), args, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
}

type question struct {
	ID    string   `json:"id"`
	Query string   `json:"query"`
	Open  []string `json:"open"`
	K     int      `json:"k"`
}

type answer struct {
	ID    string   `json:"id"`
	Files []string `json:"files"`
}

func serve(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	var off []string
	for i, arg := range args[:len(args)-1] {
		if arg == "--without" {
			off = append(off, args[i+1])
		}
	}
	s, err := searcherOf(ctx, args[len(args)-1])
	if err != nil {
		return err
	}
	s = s.Without(off...)
	questions, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q question
		if err := questions.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read a question: %w", err)
		}
		a := answer{ID: q.ID}
		for _, hit := range s.Files(search.Query{Text: q.Query, Open: q.Open, Limit: q.K}) {
			a.Files = append(a.Files, hit.Path)
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}

// mostCommits is how many commits are read, as in Forge itself.
const mostCommits = 4000

// tracked lists what git has of a folder.
type tracked string

func (t tracked) Files(ctx context.Context) ([]string, error) {
	listed, err := git(ctx, string(t), "ls-files", "-z")
	return strings.FieldsFunc(listed, func(r rune) bool { return r == 0 }), err
}

func searcherOf(ctx context.Context, root string) (*search.Searcher, error) {
	x, err := index.Open(ctx, index.Options{Root: root, Source: tracked(root), Outliner: new(treesitter.Outliner)})
	if err != nil {
		return nil, err
	}
	if err := x.Wait(ctx); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	view := x.View()
	var files []imports.File
	for _, d := range view.Documents() {
		files = append(files, imports.FileOf(d.Path, d.Language, d.Outline))
	}
	commits, err := commitsOf(ctx, root)
	return search.New(view, commits, imports.Resolve(files, view.ReadFile)), err
}

func commitsOf(ctx context.Context, root string) ([]codeintel.Commit, error) {
	log, err := git(ctx, root, "log", "--no-merges", "-n", strconv.Itoa(mostCommits), "--format=%x01%H%x02%ct%x02%B%x03", "--name-only", "--no-renames")
	if err != nil {
		return nil, err
	}
	var commits []codeintel.Commit
	for _, record := range strings.Split(log, "\x01")[1:] {
		head, names, _ := strings.Cut(record, "\x03")
		fields := strings.SplitN(head, "\x02", 3)
		seconds, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		commits = append(commits, codeintel.Commit{
			ID: fields[0], Time: time.Unix(seconds, 0), Message: strings.TrimSpace(fields[2]), Paths: strings.Fields(names),
		})
	}
	return commits, nil
}

func git(ctx context.Context, root string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-c", "core.quotePath=false", "-C", root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return string(out), nil
}

// TestServe_FindsAWordInOneFile asks for a word that stands in one file only, with and without what finds it.
func TestServe_FindsAWordInOneFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{"ship.go": "package a\n\n// of a harbour\n", "train.go": "package a\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Import it"}} {
		_, err := git(t.Context(), root, args...)
		require.NoError(t, err)
	}
	ask := func(args ...string) string {
		var out bytes.Buffer
		in := strings.NewReader(`{"id":"1","query":"harbour","k":1}`)
		require.NoError(t, serve(t.Context(), append(args, "search", "--batch", "--root", root), in, &out))
		return out.String()
	}
	require.JSONEq(t, `{"id":"1","files":["ship.go"]}`, ask())
	require.JSONEq(t, `{"id":"1","files":null}`, ask("--without", "content", "--without", "lines"))
	require.Subset(t, search.Signals(), []string{"content", "lines"})
}
