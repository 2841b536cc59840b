package review

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/patch"
)

// Every rung of the ladder has the name that the wire declares for it.
func TestWire_EveryLevelIsDeclaredOnTheWire(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[api.Hunk]().FieldByName("Level")
	declared := strings.Split(field.Tag.Get("enum"), ",")
	var names []string
	for l := patch.Exact; l.String() != "unknown"; l++ {
		names = append(names, levelName(l))
	}
	require.Equal(t, declared, names)
}
