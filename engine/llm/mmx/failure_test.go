package mmx_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
	"forge/engine/llm/mmx"
	"forge/engine/sandbox"
)

// complains is what mmx writes to stderr for programs.
func complains(message string) string {
	return "{\n  \"error\": {\n    \"code\": 1,\n    \"message\": \"" + message + "\",\n    \"hint\": \"no\"\n  }\n}\n"
}

func TestFailure_ClassifiesExitStatus(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		stderr, how string
		kind        llm.Kind
		says        string
	}{
		"wrong key":            {complains("API key rejected (HTTP 401)."), "3", llm.KindAuth, "does not accept the key (API key rejected"},
		"rate limit":           {complains("Rate limit or quota exceeded. slow"), "4", llm.KindRateLimited, "slow"},
		"empty account":        {complains("Quota or balance exhausted. pay"), "4", llm.KindAuth, "no quota or credit left: Quota or balance"},
		"a plan without it":    {complains("This model is not available on your current Token Plan."), "4", llm.KindAuth, "no quota"},
		"time-out":             {complains("Request timed out."), "5", llm.KindTruncated, "no answer in time (1m0s): Request timed out."},
		"no network":           {complains("Network request failed."), "6", llm.KindTransient, "could not be reached"},
		"filter":               {complains("Input content flagged"), "10", llm.KindRefused, "content filter stopped it: Input content flagged"},
		"usage":                {complains("Missing required argument"), "2", llm.KindInvalid, "npm install -g mmx-cli"},
		"no node":              {"env: 'node': No such file or directory\n", "127", llm.KindInvalid, "Node.js 18"},
		"server error":         {complains("API error: HTTP 500 (HTTP 500)"), "1", llm.KindTransient, "HTTP 500"},
		"wrong request":        {complains("API error: unknown model (HTTP 400)"), "1", llm.KindInvalid, "unknown model"},
		"overflow":             {complains("API error: context window exceeds limit (HTTP 400)"), "1", llm.KindOverflow, "context window"},
		"web page":             {complains("API returned non-JSON response (text/html)."), "1", llm.KindInvalid, "a login page or a proxy"},
		"half a document":      {complains("API returned non-JSON response (application/json)."), "1", llm.KindTransient, "non-JSON"},
		"too large":            {complains("API error: no (HTTP 413)"), "1", llm.KindOverflow, "HTTP 413"},
		"no words":             {"", "1", llm.KindTransient, "gave no reason"},
		"a stack":              {"file:///x.js:1\nTypeError: \x1b[31mundefined\n", "1", llm.KindTransient, `TypeError: \u001b[31mundefined`},
		"the key in a message": {complains("for " + key), "1", llm.KindTransient, "for [key]"},
		"the key in a stack":   {strings.Repeat("x", 590) + key, "1", llm.KindTransient, "xxx"},
		"interrupted":          {"\nInterrupted. Exiting.\n", "130", llm.KindTransient, "Interrupted"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Whatever it printed before it failed is no answer.
			response, err := pretend(t, whole, test.stderr, test.how).complete(ask())
			failed := failure(t, err)
			require.Equal(t, test.kind, failed.Kind, "%v", err)
			require.Contains(t, err.Error(), test.says)
			require.Less(t, len(err.Error()), 1000)
			require.Empty(t, response.Text)
		})
	}
}

func TestFailure_NoKeyAnywhere(t *testing.T) {
	t.Parallel()
	o := pretend(t, "", complains("No credentials found."), "3").options()
	o.Key = ""
	_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
	require.Equal(t, llm.KindAuth, failure(t, err).Kind)
	require.ErrorContains(t, err, "run `mmx auth login`, or set MINIMAX_API_KEY")
}

func TestFailure_ItsOwnKeyIsNotShownEither(t *testing.T) {
	t.Parallel()
	f := pretend(t, "", complains("for "+key), "1")
	require.NoError(t, os.WriteFile(filepath.Join(f.dir, "config.json"), []byte(`{"api_key":"`+key+`"}`), 0o600))
	o := f.options()
	o.Key = ""
	o.Environ = append(o.Environ, "MMX_CONFIG_DIR="+f.dir)
	_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
	failure(t, err)
	require.ErrorContains(t, err, "for [key]")
}

// signalled is a runner whose processes all end by a signal.
type signalled struct{}

func (signalled) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{ExitCode: -1, Stdout: []byte(whole)}, nil
}

func TestFailure_MmxDies(t *testing.T) {
	t.Parallel()
	t.Run("by a signal", func(t *testing.T) {
		t.Parallel()
		o := pretend(t, "", "", "0").options()
		o.Runner = signalled{}
		_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
		require.Equal(t, llm.KindTransient, failure(t, err).Kind)
		require.ErrorContains(t, err, "ended by a signal")
	})
	t.Run("too much output", func(t *testing.T) {
		t.Parallel()
		o := pretend(t, "", "", "flood").options()
		o.Timeout = 100 * time.Millisecond // it never ends by itself
		_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
		require.Equal(t, llm.KindTruncated, failure(t, err).Kind)
	})
	t.Run("too large an answer", func(t *testing.T) {
		t.Parallel()
		_, err := pretend(t, strings.Repeat(" ", 17<<20)+whole, "", "0").complete(ask())
		require.Equal(t, llm.KindTruncated, failure(t, err).Kind)
		require.ErrorContains(t, err, "more than 16 MiB")
	})
	t.Run("no time left", func(t *testing.T) {
		t.Parallel()
		o := pretend(t, whole, "", "hang").options()
		o.Timeout = time.Millisecond
		_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
		require.Equal(t, llm.KindTruncated, failure(t, err).Kind)
		require.ErrorContains(t, err, "no answer in time (1ms)")
	})
	t.Run("not there", func(t *testing.T) {
		t.Parallel()
		o := pretend(t, whole, "", "0").options()
		o.Program += "-gone"
		_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
		require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
		require.ErrorContains(t, err, "npm install -g mmx-cli")
	})
	t.Run("no room for its files", func(t *testing.T) {
		t.Parallel()
		f := pretend(t, whole, "", "0")
		o := f.options()
		o.Scratch = filepath.Join(f.dir, "none")
		_, err := mmx.New(o).Complete(t.Context(), ask(), nil)
		require.Equal(t, llm.KindInvalid, failure(t, err).Kind)
	})
	t.Run("no schema", func(t *testing.T) {
		t.Parallel()
		r := ask()
		r.Schema = []byte(`{}`)
		_, err := pretend(t, whole, "", "0").complete(r)
		require.Equal(t, llm.FeatureSchema, failure(t, err).Feature)
	})
}

func TestFailure_CancelEndsTheProcess(t *testing.T) {
	t.Parallel()
	f := pretend(t, whole, "", "hang")
	ctx, cancel := context.WithCancel(t.Context())
	hangs := make(chan time.Time, 1)
	go func() {
		defer cancel()
		for { // until the process says that it hangs
			if _, err := os.Stat(filepath.Join(f.dir, "hangs.seen")); err == nil {
				hangs <- time.Now()
				return
			}
			_ = llm.Pause(t.Context(), time.Millisecond)
		}
	}()
	_, err := mmx.New(f.options()).Complete(ctx, ask(), nil)
	require.ErrorIs(t, err, context.Canceled)
	t.Logf("ended %s after the request", time.Since(<-hangs))
	left, err := os.ReadDir(f.scratch)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestFailure_Find(t *testing.T) {
	t.Parallel()
	dir := pretend(t, "", "", "0").dir
	workspace := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(workspace, "bin"), 0o700))
	inside := filepath.Join(workspace, "bin", "mmx")
	require.NoError(t, os.WriteFile(inside, []byte("#!/bin/sh\n"), 0o700))
	leads := t.TempDir()
	require.NoError(t, os.Symlink(inside, filepath.Join(leads, "mmx")))
	plain := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(plain, "mmx"), nil, 0o600))
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "mmx"), 0o700))
	linked := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(workspace, linked))

	path := func(folders ...string) []string {
		return []string{"PATH=" + strings.Join(folders, string(os.PathListSeparator))}
	}
	tests := map[string]struct {
		environ []string
		open    []string
		want    string
		says    string
	}{
		"found":                      {path("", "relative", "/none", plain, folder, dir), []string{workspace}, filepath.Join(dir, "mmx"), ""},
		"nowhere":                    {path(plain, folder, "."), nil, "", "npm install -g mmx-cli"},
		"no PATH":                    {nil, nil, "", "npm install -g mmx-cli"},
		"in the workspace":           {path(filepath.Dir(inside)), []string{workspace}, "", "lies in a folder that is open"},
		"leads into the workspace":   {path(leads), []string{workspace}, "", "lies in a folder that is open"},
		"the workspace by a link":    {path(filepath.Dir(inside)), []string{linked}, "", "lies in a folder that is open"},
		"behind that of a workspace": {path(filepath.Dir(inside), dir), []string{workspace}, filepath.Join(dir, "mmx"), ""},
		"no workspace is open":       {path(filepath.Dir(inside)), nil, inside, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := mmx.Find(test.environ, test.open...)
			require.Equal(t, test.want, got)
			if test.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, os.ErrNotExist)
			require.ErrorContains(t, err, test.says)
			var missing *mmx.MissingError
			require.ErrorAs(t, err, &missing)
		})
	}
}

func TestFailure_Key(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, ".mmx"), 0o700))
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(home, ".mmx", "config.json"), []byte(text), 0o600))
	}
	for _, environ := range [][]string{nil, {"HOME=" + home}, {"HOME=/none"}} {
		got, err := mmx.Key(environ)
		require.NoError(t, err)
		require.Empty(t, got)
	}
	write(`{"api_key":"` + key + `\n","region":"cn"}`)
	for _, environ := range [][]string{{"HOME=" + home}, {"HOME=/none", "MMX_CONFIG_DIR=" + filepath.Join(home, ".mmx")}} {
		got, err := mmx.Key(environ)
		require.NoError(t, err)
		require.Equal(t, key, got)
	}
	write(`{"api_key":"` + key)
	_, err := mmx.Key([]string{"HOME=" + home})
	require.ErrorContains(t, err, "is not what mmx writes")
	require.NotContains(t, err.Error(), key)
}
