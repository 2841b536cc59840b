package event

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Yes and no are the only choice whose title begins with that word, and the least of several permissions; other words are no choice.
func TestQuestion_ChoiceInWords(t *testing.T) {
	t.Parallel()
	lost := Question{Choices: []Choice{{ID: "reject", Title: "No, they must continue to pass"}, {ID: "approve", Title: "Yes, they ask for what is to change"}}}
	tool := Question{Kind: AskPermission, Choices: []Choice{{ID: "deny", Title: "No"}, {ID: "allow", Title: "Yes, this once"}, {ID: "run", Title: "Yes, for this run"}}}
	open := Question{Choices: []Choice{{ID: "0", Title: "Yes, and keep it"}, {ID: "1", Title: "Yes, and drop it"}, {ID: "2", Title: "No"}, {ID: "3"}}}
	sure := Question{Choices: []Choice{{ID: "all", Title: "Apply all"}, {ID: "none", Title: "Nothing"}}}
	for _, c := range []struct {
		q           Question
		typed, want string
	}{
		{lost, "no", "reject"}, {lost, " N ", "reject"}, {lost, "Yes", "approve"}, {lost, "no, they must continue to pass", "reject"},
		{lost, "no, keep Hello", ""}, {lost, "yes, but say more", ""}, {lost, "", ""}, {lost, "reject it", ""},
		{tool, "y", "allow"}, {tool, "n", "deny"}, {tool, "yes, for this run", "run"},
		{open, "yes", ""}, {open, "no", "2"}, {open, "yes, and drop it", "1"}, {open, "", ""},
		{sure, "nothing", "none"}, {sure, "n", ""}, {sure, "yes", ""},
	} {
		id, is := c.q.Chosen(c.typed)
		require.Equal(t, c.want, id, c.typed)
		require.Equal(t, c.want != "", is, c.typed)
	}
}
