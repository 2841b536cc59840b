//go:build cgo

package treesitter

// #include <time.h>
//
// static long long processor_nanoseconds(void) {
//   struct timespec t;
//   return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? t.tv_sec * 1000000000LL + t.tv_nsec : 0;
// }
import "C"

import (
	"context"
	"runtime"
	"time"
)

// work is what one goroutine does for one text, and how much of it: while it lasts, the goroutine keeps its thread,
// whose processor time is measured.
type work struct {
	ctx   context.Context //nolint:containedctx // the work lives as long as the call that it belongs to
	until time.Duration   // of the thread's processor time
}

func startWork(ctx context.Context, budget time.Duration) *work {
	runtime.LockOSThread()
	return &work{ctx, processorTime() + budget}
}

func (w *work) end() { runtime.UnlockOSThread() }

// err returns why the work should not continue: the error of ctx, or errTooComplex if it has used its time. It is called
// by the goroutine that started the work.
func (w *work) err() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if processorTime() > w.until {
		return errTooComplex
	}
	return nil
}

func processorTime() time.Duration { return time.Duration(C.processor_nanoseconds()) }
