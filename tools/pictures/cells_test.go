package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpans_HaveTheLookOfTheirCells reads colours of the three kinds, reverse cells and what ends them, over the end of a line.
func TestSpans_HaveTheLookOfTheirCells(t *testing.T) {
	t.Parallel()
	const plain, end = `<span style="color:ink;background:paper">`, `</span>`
	for screen, want := range map[string]string{
		"a<b":                           plain + "a&lt;b" + end,
		"\x1b[31mx\x1b[0my":             `<span style="color:#cc3333;background:paper">x</span>` + plain + "y" + end,
		"\x1b[38;5;196m\x1b[48;5;232mx": `<span style="color:#ff0000;background:#080808">x</span>`,
		"\x1b[48;2;1;2;3mx\x1b[49my":    `<span style="color:ink;background:#010203">x</span>` + plain + "y" + end,
		"\x1b[7mx\x1b[27;1my":           `<span style="color:paper;background:ink">x</span><span style="color:ink;background:paper;font-weight:bold">y</span>`,
		"\x1b[92mx\ny":                  `<span style="color:#7ac937;background:paper">x</span>` + "\n" + `<span style="color:#7ac937;background:paper">y</span>`,
		"\x1b[4:3mx\x1b[mz":             `<span style="color:ink;background:paper;text-decoration:underline">x</span>` + plain + "z" + end,
	} {
		require.Equal(t, want, spans(screen, "ink", "paper"), "%q", screen)
	}
}
