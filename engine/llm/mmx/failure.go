package mmx

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/sandbox"
	"forge/internal/inert"
	"forge/internal/lazyregexp"
)

// install is the advice if mmx is missing.
const install = "install it with `npm install -g mmx-cli` (it needs Node.js 18 or newer)"

// The exit statuses of mmx (src/errors/codes.ts), and that of a shell's env for a missing program.
const (
	exitUsage         = 2
	exitAuth          = 3
	exitQuota         = 4
	exitTimeout       = 5
	exitNetwork       = 6
	exitFilter        = 10
	exitNotExecutable = 126
	exitNotFound      = 127
)

// notRun returns why no process was started.
func notRun(err error) error {
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist):
		return invalid("MiniMax's command line is not installed (%s): %s", missing.Name, install)
	case errors.As(err, &missing):
		return invalid("%v", missing)
	default:
		return err // cancelled by the caller
	}
}

// ended returns the error in the way mmx ended, or nil. A call that was ended by its limit may be billed, like a broken answer.
func (c *Client) ended(result sandbox.Result, limit time.Duration) error {
	said := complaint(result.Stderr)
	switch {
	case result.TimedOut:
		return broken(fmt.Sprintf("mmx gave no answer in time (%s), and was ended", limit))
	case result.Truncated:
		return broken(fmt.Sprintf("mmx printed more than %d MiB, and nothing has read the rest", maxOutput>>20))
	case result.ExitCode < 0:
		return transient("mmx was ended by a signal: %s", said)
	}
	switch result.ExitCode {
	case 0:
		return nil
	case exitUsage:
		return invalid("mmx does not understand how it was called (%s): is it an old version? `npm install -g mmx-cli` gets the newest", said)
	case exitAuth:
		return c.unknown(said)
	case exitQuota:
		return quota(said)
	case exitTimeout:
		return broken(fmt.Sprintf("mmx gave no answer in time (%s): %s", limit, said))
	case exitNetwork:
		return transient("MiniMax could not be reached: %s", said)
	case exitFilter:
		return &llm.Error{Kind: llm.KindRefused, Err: fmt.Errorf("MiniMax's content filter stopped it: %s", said)}
	case exitNotExecutable, exitNotFound:
		return invalid("mmx cannot run (%s): %s", said, install)
	default:
		return general(result.ExitCode, said)
	}
}

func (c *Client) unknown(said string) error {
	advice := "mmx knows no key that MiniMax accepts: run `mmx auth login`, or set MINIMAX_API_KEY"
	if c.o.Key != "" {
		advice = "MiniMax does not accept the key"
	}
	return &llm.Error{Kind: llm.KindAuth, Err: fmt.Errorf("%s (%s)", advice, said)}
}

// quota distinguishes two causes of one status: too many calls, which is temporary, and an account without credit.
func quota(said string) error {
	if strings.HasPrefix(said, "Rate limit") {
		return &llm.Error{Kind: llm.KindRateLimited, Err: errors.New(said)}
	}
	return &llm.Error{Kind: llm.KindAuth, Err: fmt.Errorf("the account has no quota or credit left: %s", said)}
}

var (
	status   = lazyregexp.New(`\(HTTP (\d{3})\)`)
	tooLarge = lazyregexp.New(`(?i)context (length|window|size)|maximum context|too long|too many (input )?tokens`)
)

// general returns the failure for the general exit status. A request that MiniMax rejects as invalid stays
// invalid; everything else, including crashes, may be temporary.
func general(exit int, said string) error {
	code := 0
	if found := status.FindStringSubmatch(said); found != nil {
		code, _ = strconv.Atoi(found[1]) // three digits
	}
	failed := &llm.Error{Kind: llm.KindTransient, Status: code, Err: fmt.Errorf("mmx failed (exit status %d): %s", exit, said)}
	switch {
	case code == 413, tooLarge.MatchString(said):
		failed.Kind = llm.KindOverflow
	case strings.Contains(said, "(text/html)"):
		failed.Kind, failed.Err = llm.KindInvalid, fmt.Errorf("a web page answered instead of MiniMax: is a login page or a proxy in between? (%s)", said)
	case code >= 400 && code < 500:
		failed.Kind = llm.KindInvalid
	}
	return failed
}

// complaint returns mmx's error message, from its JSON document if possible.
func complaint(stderr []byte) string {
	const enough = 64 << 10
	text := string(stderr[:min(len(stderr), enough)])
	var said struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if start := strings.Index(text, "{"); start >= 0 && json.NewDecoder(strings.NewReader(text[start:])).Decode(&said) == nil && said.Error.Message != "" {
		text = said.Error.Message
	}
	text = strings.Join(strings.Fields(inert.Text(text)), " ")
	if text == "" {
		return "it gave no reason"
	}
	return text
}

func transient(format string, args ...any) error {
	return &llm.Error{Kind: llm.KindTransient, Err: fmt.Errorf(format, args...)}
}

// redact removes the keys from a text before it shortens the text, so that no part of a key remains.
func (c *Client) redact(text string) string {
	const enough = 600 // characters
	for _, key := range []string{c.o.Key, c.ownKey()} {
		if len(key) >= 4 { // shorter ones are placeholders
			text = strings.ReplaceAll(text, key, "[key]")
		}
	}
	if runes := []rune(text); len(runes) > enough {
		return string(runes[:enough]) + "…"
	}
	return text
}
