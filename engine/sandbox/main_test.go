package sandbox

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

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
	result, err := r.Run(context.Background(), Command{
		Argv: []string{"sh", "-c", script}, Dir: "/", Timeout: time.Minute, Env: []string{"FIFO=" + os.Getenv("FIFO")},
	})
	fmt.Printf("%s%s namespace=%t\n", result.Stdout, result.Stderr, !r.plain.Load())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return result.ExitCode
}
