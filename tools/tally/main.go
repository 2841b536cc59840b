// Command tally counts the tests of all suites, whatever runs them, and adds them up truthfully: a suite
// whose command fails without a failed test counts as a failure, and so does one in which nothing ran.
//
//	SUITE | tally count     prints what people want to see, and a summary as JSON on file descriptor 3
//	tally sum SECONDS < RESULTS  prints the sum; RESULTS has lines "name exit-code seconds CPU-seconds summary" and
//	                        "not-run name reason". SECONDS is from the first suite's start to the last one's end: suites run beside each other
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "tally:", err)
		os.Exit(1)
	}
}

var errFailed = errors.New("not everything passed")

func run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "count":
		c, err := countOutput(in, out)
		if err != nil {
			return err
		}
		return json.NewEncoder(os.NewFile(3, "summary")).Encode(c)
	case len(args) == 2 && args[0] == "sum":
		wall, err := strconv.Atoi(args[1])
		if err != nil {
			return fmt.Errorf("read how many seconds all suites took: %w", err)
		}
		return sum(in, out, wall)
	}
	return errors.New("say count, or sum and how many seconds all suites took")
}

func sum(in io.Reader, out io.Writer, wall int) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	suites, err := parseSuites(string(text))
	if err != nil {
		return err
	}
	passed, err := report(out, suites, wall)
	if err == nil && !passed {
		err = errFailed
	}
	return err
}
