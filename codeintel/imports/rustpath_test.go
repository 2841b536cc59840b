package imports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestRust_Paths(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		need codeintel.Import
		want string
	}{
		{"a path", codeintel.Import{Path: "a::b::C"}, "a b C"},
		{"one from the crates", codeintel.Import{Path: "::a::b"}, "a b"},
		{"with names", codeintel.Import{Path: "a::b", Names: []string{"C", "d"}}, "a b C|a b d"},
		{"with a group and names", codeintel.Import{Path: "a::{b, c}", Names: []string{"b", "c"}}, "a b|a c"},
		{"a name of one's own", codeintel.Import{Path: "a::b as c"}, "a b"},
		{"everything", codeintel.Import{Path: "a::*"}, "a"},
		{"the module itself", codeintel.Import{Path: "a::self"}, "a"},
		{"self alone", codeintel.Import{Path: "self"}, "self"},
		{"a raw name", codeintel.Import{Path: "r#mod::a"}, "mod a"},
		{"groups in groups", codeintel.Import{Path: "a::{b::{c, d as e}, self, f::*}"}, "a b c|a b d|a|a f"},
		{"groups over lines", codeintel.Import{Path: "a::{\n\tb,\n\tc,\n}"}, "a b|a c"},
		{"a group without end", codeintel.Import{Path: "a::{b::{c"}, "a b c"},
		{"a declaration", codeintel.Import{Path: "mod a"}, "self a"},
		{"nothing", codeintel.Import{}, ""},
	} {
		var got []string
		for _, path := range rustPaths(test.need) {
			got = append(got, strings.Join(path, " "))
		}
		require.Equal(t, test.want, strings.Join(got, "|"), test.name)
	}
	many := rustPaths(codeintel.Import{Path: "a::{" + strings.Repeat("b,", 2*maxRustPaths) + "}"})
	require.Len(t, many, maxRustPaths)
}
