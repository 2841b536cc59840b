package world

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// A member that is not called may be of data from elsewhere; a call, and a name by itself, are of the code.
func TestIsData_MembersThatAreNotCalled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"x.name": true, "x . name = 1": true, "x.name()": false, "x.name (1)": false, "name": false, "f(name)": false} {
		at := strings.Index(text, "name")
		require.Equal(t, want, isData(text, codeintel.Span{Start: at, End: at + len("name")}), text)
	}
}
