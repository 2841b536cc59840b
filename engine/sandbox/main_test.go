package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// jailedHelper names the folder of a jail that the script runs in.
const jailedHelper = "SANDBOX_TEST_JAIL"

// networkHelper gives that jail the network.
const networkHelper = "SANDBOX_TEST_NETWORK"

// plainHelper takes namespaces from it.
const plainHelper = "SANDBOX_TEST_PLAIN"

// helper makes the test binary play Forge: it runs the shell script in this variable through a Runner.
const helper = "SANDBOX_TEST_SCRIPT"

// attackBy says how the script of helper is started: by a runner, or by itself without one.
const attackBy = "SANDBOX_TEST_ATTACK_BY"

func TestMain(m *testing.M) {
	if attackMode() {
		return
	}
	if script := os.Getenv(helper); script != "" {
		os.Exit(playForge(script))
	}
	goleak.VerifyTestMain(m)
}

func playForge(script string) int {
	switch os.Getenv(attackBy) {
	case "":
	case "itself":
		out, err := exec.Command("sh", "-c", script).CombinedOutput() //nolint:gosec,noctx // of a test
		fmt.Printf("%s%v\n", out, err)
		return 0
	case "a runner whose program is gone":
		if err := os.Remove(os.Args[0]); err != nil {
			fmt.Println(err)
		}
		fallthrough
	default:
		if err := Shield(); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	r := &runner{environ: os.Environ()}
	if _, is := os.LookupEnv(plainHelper); is {
		refusal := error(syscall.EPERM)
		r.plain.Store(&refusal)
	}
	c := Command{Argv: []string{"sh", "-c", script}, Dir: "/", Timeout: 10 * time.Minute, Env: []string{"FIFO=" + os.Getenv("FIFO")}}
	if dir := os.Getenv(jailedHelper); dir != "" {
		c.Dir, c.Jail = dir, &Jail{Write: []string{dir}, Network: os.Getenv(networkHelper) != ""}
	}
	result, err := r.Run(context.Background(), c)
	fmt.Printf("%s%s namespace=%t layers=%s\n", result.Stdout, result.Stderr, r.plain.Load() == nil, result.Layers)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return result.ExitCode
}
