package work

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const traceback = `test_book.py:17: test_by_name: TypeError: '<' not supported
test_book.py:53: in test_by_name
    rows = report(log, "--sort")
           ^^^^^^^^^^^^^^^^^^^^^
test_book.py:17: in report
    assert book.main(options)
           ^^^^^^^^^~~~~~~~~~^
book.py:263: in main
    return args.run(entries)
book.py:132: in in_order
    return sorted(pairs)
           ^^^^^^^^^^^^^
E   TypeError: '<' not supported`

func TestCondense_KeepsTheBeginningAndTheLastFrame(t *testing.T) {
	t.Parallel()
	all := Condense(traceback, 1000)
	require.NotContains(t, all, "^^")
	require.Equal(t, 10, strings.Count(all, "\n")+1)

	short := Condense(traceback, 200)
	require.LessOrEqual(t, len(short), 200+len("\n[… cut]"))
	require.True(t, strings.HasPrefix(short, "test_book.py:17: test_by_name: TypeError"), short)
	require.Contains(t, short, "[… cut]\n")
	require.True(t, strings.HasSuffix(short, "book.py:132: in in_order\n    return sorted(pairs)\nE   TypeError: '<' not supported"), short)

	require.Equal(t, "a\nb\nc\n[… cut]", Condense("a\nb\nc\n"+strings.Repeat("d", 100), 20), "an end that does not fit")
	require.Equal(t, "one", Condense("  one\n", 100))
	require.Equal(t, "aaaa\n[… cut]", Condense(strings.Repeat("a", 10), 4))
}
