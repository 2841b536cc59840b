package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory is what a process and everything it started hold, in MiB.
type memory struct {
	rss float64 // resident pages, as top shows them
	pss float64 // the same with shared pages divided among those who share them
}

// mebibyte is in units of /proc, which counts memory in KiB.
const mebibyte = 1024

// memoryOf adds up a tree of processes. One that ends meanwhile counts as far as it was read.
func memoryOf(pid int) (memory, error) {
	var sum memory
	for _, p := range descendants(pid) {
		rss, err := procField(p, "status", "VmRSS:")
		if err == nil {
			var pss float64
			pss, err = procField(p, "smaps_rollup", "Pss:")
			sum.rss, sum.pss = sum.rss+rss/mebibyte, sum.pss+pss/mebibyte
		}
		if err != nil && p == pid {
			return memory{}, fmt.Errorf("read the memory of process %d: %w", pid, err)
		}
	}
	return sum, nil
}

// descendants returns a process and everything it started, as far as it is alive.
func descendants(pid int) []int {
	tree := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // the pattern is well-formed
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				tree = append(tree, descendants(child)...)
			}
		}
	}
	return tree
}

// procField reads one line of a file that /proc has for a process.
func procField(pid int, file, name string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	return field(text, name)
}

// field finds the first "name  number kB" in a text of such lines.
func field(text []byte, name string) (float64, error) {
	for line := range bytes.Lines(text) {
		rest, is := strings.CutPrefix(string(line), name)
		if !is {
			continue
		}
		kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
		if err != nil {
			return 0, fmt.Errorf("read %s: %w", strings.TrimSuffix(name, ":"), err)
		}
		return kib, nil
	}
	return 0, fmt.Errorf("there is no %s", strings.TrimSuffix(name, ":"))
}

// A server is settled when it and its children have used no more than restTicks of processor time, in
// hundredths of a second, for as long as rest. One that never rests is measured after settleLimit.
const (
	rest        = time.Second
	restTicks   = 1
	settleLimit = 30 * time.Second
)

// settle waits until a server has done the work its start brings with it.
func settle(ctx context.Context, pid int) error {
	limit := time.NewTimer(settleLimit)
	defer limit.Stop()
	tick := time.NewTicker(rest)
	defer tick.Stop()
	for before := -1; ; {
		now, err := processorTime(pid)
		if err != nil {
			return err
		}
		if before >= 0 && now-before <= restTicks {
			return nil
		}
		before = now
		select {
		case <-tick.C:
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// processorTime is what a process, its living children and those it has waited for have used, in clock
// ticks. Where a child ends unread between two calls the sum jumps, which is not rest either.
func processorTime(pid int) (int, error) {
	sum := 0
	for _, p := range descendants(pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			if p == pid {
				return 0, fmt.Errorf("read the processor time of process %d: %w", pid, err)
			}
			continue
		}
		ticks, err := statTicks(text)
		if err != nil {
			return 0, err
		}
		sum += ticks
	}
	return sum, nil
}

// statTicks adds utime, stime, cutime and cstime, fields 14 to 17 of proc(5)'s stat.
func statTicks(text []byte) (int, error) {
	afterName := bytes.LastIndexByte(text, ')') // the name may hold blanks and brackets
	fields := strings.Fields(string(text[afterName+1:]))
	if afterName < 0 || len(fields) < 15 {
		return 0, errors.New("read stat: too few fields")
	}
	sum := 0
	for _, f := range fields[11:15] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, fmt.Errorf("read stat: %w", err)
		}
		sum += n
	}
	return sum, nil
}
