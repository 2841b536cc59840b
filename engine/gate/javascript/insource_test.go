package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Vitest's tests in sources end where their block does.
func TestInline_EndsWhereTheBlockDoes(t *testing.T) {
	t.Parallel()
	const block = "if (import.meta.vitest) {\n  const { it, expect } = import.meta.vitest; // }\n  it('}', () => { expect(`}${one()}`).toBe(\"}\\\"\") /* } */ })\n}"
	for _, text := range []string{"export const one = () => '}';\n" + block + "\nexport const two = 2;\n", block, "if (x) {\n}\n" + block + "\n" + block} {
		parts := inline("src/one.ts", text)
		require.NotEmpty(t, parts)
		for _, part := range parts {
			require.Equal(t, block, text[part.Start:part.End])
		}
	}
	require.Empty(t, inline("src/one.ts", "export const one = 1;\n"))
	require.Empty(t, inline("README.md", block))
	require.Len(t, inline("one.js", "if (import.meta.vitest) { it("), 1, "what is not closed goes to the end")
}
