package rust

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const someTests = `use crate::common::{
    from_u32, Limb,
};

/// Converts.
#[cfg(wide)]
pub(crate) fn convert(x: &[u32]) -> Vec<Limb> {
    from_u32(x)
}

#[test]
fn converts() {
    assert_eq!(convert(&[1]), [1]); // }
}

mod small {
    #[test]
    fn holds() {
        assert!(true);
    }
}

struct S;

impl S {
    fn new() -> S { S }
}
`

func TestWithout_TakesOutFunctionsAndImports(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text       string
		faults     []int
		gone, kept []string // nothing is gone: it is not ok
	}{
		"a test":                       {someTests, []int{13}, []string{"fn converts", "#[test]\nfn converts"}, []string{"fn convert(", "fn holds", "from_u32, Limb"}},
		"a helper, with what is on it": {someTests, []int{8}, []string{"fn convert(", "Converts", "cfg(wide)"}, []string{"fn converts", "fn holds"}},
		"an import":                    {someTests, []int{2}, []string{"use crate", "Limb,"}, []string{"fn convert(", "fn converts"}},
		"in a module":                  {someTests, []int{19}, []string{"fn holds"}, []string{"mod small {", "fn converts"}},
		"two":                          {someTests, []int{8, 13}, []string{"fn convert(", "fn converts"}, []string{"fn holds"}},
		"not a method":                 {someTests, []int{26}, nil, nil},
		"not a type":                   {someTests, []int{23}, nil, nil},
		"nor what is not there":        {someTests, []int{99}, nil, nil},
		"a helper beside all names":    {"use super::*;\n" + someTests, []int{9}, nil, nil},
		"a test beside all names":      {"use super::*;\n" + someTests, []int{14}, []string{"fn converts"}, []string{"fn convert("}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest, ok := Without(test.text, test.faults)
			require.Equal(t, test.gone != nil, ok)
			for _, text := range test.gone {
				require.NotContains(t, rest, text)
			}
			for _, text := range test.kept {
				require.Contains(t, rest, text)
			}
			if ok {
				require.Equal(t, strings.Count(test.text, "\n"), strings.Count(rest, "\n"))
			}
		})
	}
}
