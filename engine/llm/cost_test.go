package llm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm"
)

func TestCost_FormatsAmounts(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]llm.Cost{
		"$0.00": {}, "$0.0001": {MicroUSD: 1}, "$0.0100": {MicroUSD: 9_999}, "$0.01": {MicroUSD: 10_000}, "$0.02": {MicroUSD: 10_001},
		"$12.50": {MicroUSD: 12_500_000}, "$1234.00": {MicroUSD: 1_234_000_000},
		"unknown price": {Unpriced: true}, "$0.07 + unknown price": {MicroUSD: 70_000, Unpriced: true},
	} {
		require.Equal(t, want, c.String())
	}
	require.Equal(t, llm.Cost{MicroUSD: 3, Unpriced: true}, llm.Cost{MicroUSD: 1}.Add(llm.Cost{MicroUSD: 2, Unpriced: true}))
}
