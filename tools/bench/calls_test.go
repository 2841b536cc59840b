package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCalls_BenchmarksAreRead(t *testing.T) {
	t.Parallel()
	results, err := parseBenchmarks([]byte(`goos: linux
pkg: forge/engine/llm/openai
BenchmarkComplete/forge-2         	    1000	   1500000 ns/op	 2097152 B/op	     900 allocs/op
BenchmarkComplete/sdk-2           	    2000	    500000 ns/op	 1048576 B/op	     400 allocs/op
BenchmarkFirstDelta/forge-2       	     100	   9000000 ns/op	   70000 ns/delta	    1000 B/op	      10 allocs/op
PASS
`))
	require.NoError(t, err)
	call := results["Complete"]
	require.Equal(t, [2]value{number(1.5), number(0.5)}, call.pair("ns/op", 1e6))
	require.Equal(t, [2]value{number(2), number(1)}, call.pair("B/op", 1<<20))
	require.Equal(t, [2]value{number(0.07), missing}, results["FirstDelta"].pair("ns/delta", 1e6))

	within := beside("a call", "ms", call.pair("ns/op", 1e6), atMostMore(1))
	require.Equal(t, "met", within.verdict())
	require.Equal(t, "MISSED", beside("a call", "ms", call.pair("ns/op", 1e6), atMostMore(0.9)).verdict())
	require.Equal(t, "MISSED", beside("a call", "ms", [2]value{number(1), missing}, atMostMore(9)).verdict(), "nothing to compare with")

	_, err = parseBenchmarks([]byte("BenchmarkComplete/forge-2 1000 many ns/op\n"))
	require.ErrorContains(t, err, "many")
}
