package golang

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEnded_CountsTestsAndNoWitness(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]int{
		`{"Time":"2026-11-01T10:00:00Z","Action":"pass","Package":"m","Test":"TestA","Elapsed":0}`:                       {1, 1},
		`{"Action":"fail","Package":"m","Test":"TestA/b","Elapsed":0}`:                                                   {1, 0},
		`{"Action":"skip","Package":"m","Test":"TestA","Elapsed":0}`:                                                     {},
		`{"Action":"run","Package":"m","Test":"TestA"}`:                                                                  {},
		`{"Action":"output","Package":"m","Test":"TestA","Output":"--- PASS: TestA\n"}`:                                  {},
		`{"Action":"pass","Package":"m","Elapsed":0}`:                                                                    {},
		`{"Action":"pass","Package":"m","Test":"` + witnessPrefix + `0123","Elapsed":0}`:                                 {},
		`{"Action":"pass","Package":"m","Test":"` + readier(witnessPrefix+"0123456789abcdef01234567") + `","Elapsed":0}`: {},
		`{"Action":"pass","Package":"m","Test":"TestForge","Elapsed":0}`:                                                 {1, 1},
		`"Test": {`: {},
	} {
		tests, passed := ended([]byte(line))
		require.Equal(t, want, [2]int{tests, passed}, line)
	}
}
