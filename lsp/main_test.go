package lsp_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	"forge/lsp"
)

// serveVariable makes this test binary a server on its standard streams, so that tests can do to a
// real process what they cannot do to a goroutine.
const serveVariable = "FORGE_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(lsp.ServeStdio(context.Background(), lsp.Options{Log: chatty()}))
	}
	goleak.VerifyTestMain(m)
}

// quiet is the log of servers that are fed with faults.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// chatty is a log that prints to what it takes for stdout, as careless code does.
func chatty() *slog.Logger { return slog.New(slog.NewTextHandler(careless{}, nil)) }

type careless struct{}

func (careless) Write(p []byte) (int, error) { return fmt.Print(string(p)) }
