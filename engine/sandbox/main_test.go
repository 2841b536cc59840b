package sandbox

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// guardedHelper names the top of a yard, whose tree the script runs in, guarded.
const guardedHelper = "SANDBOX_TEST_YARD"

// helper makes the test binary play Forge: it runs the shell script in this variable through a Runner.
const helper = "SANDBOX_TEST_SCRIPT"

func TestMain(m *testing.M) {
	if script := os.Getenv(helper); script != "" {
		os.Exit(playForge(script))
	}
	goleak.VerifyTestMain(m)
}

func playForge(script string) int {
	r := &runner{environ: os.Environ()}
	c := Command{Argv: []string{"sh", "-c", script}, Dir: "/", Timeout: time.Minute, Env: []string{"FIFO=" + os.Getenv("FIFO")}}
	if top := os.Getenv(guardedHelper); top != "" {
		c.Dir = filepath.Join(top, "home/.forge/trees/1/work")
		c.Guarded, c.Spared = []string{filepath.Join(top, "home/src/mine"), filepath.Join(top, "home/.forge")}, []string{c.Dir}
		c.Env = append(c.Env, "MINE="+c.Guarded[0])
	}
	result, err := r.Run(context.Background(), c)
	fmt.Printf("%s%s namespace=%t\n", result.Stdout, result.Stderr, !r.plain.Load())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return result.ExitCode
}
