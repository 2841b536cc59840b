package patch_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

func TestUnified_MatchesGitsOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		change  patch.FileChange
		context int
		want    string
	}{
		{"update", patch.FileChange{Path: "d/a.go", Before: "1\n2\n3\n4\n5\n", After: "1\n2\nIII\n4\n5\n"}, 1,
			"diff --git a/d/a.go b/d/a.go\n--- a/d/a.go\n+++ b/d/a.go\n@@ -2,3 +2,3 @@\n 2\n-3\n+III\n 4\n"},
		{"no context", patch.FileChange{Path: "a", Before: "1\n2\n", After: "1\nx\n2\n"}, 0,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,0 +2 @@\n+x\n"},
		{"create", patch.FileChange{Kind: patch.Create, Path: "a", After: "1\n2"}, 3,
			"diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n"},
		{"create an empty file", patch.FileChange{Kind: patch.Create, Path: "a"}, 3,
			"diff --git a/a b/a\nnew file mode 100644\n"},
		{"delete", patch.FileChange{Kind: patch.Delete, Path: "a", Before: "1\n"}, 3,
			"diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"},
		{"move", patch.FileChange{Kind: patch.Move, Path: "b", From: "a", Before: "1\n", After: "1\n"}, 3,
			"diff --git a/a b/b\nrename from a\nrename to b\n"},
		{"move and change", patch.FileChange{Kind: patch.Move, Path: "b", From: "a", Before: "1\n", After: "2\n"}, 3,
			"diff --git a/a b/b\nrename from a\nrename to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-1\n+2\n"},
		{"no change", patch.FileChange{Path: "a", Before: "1\n", After: "1\n"}, 3, ""},
		{"final line end lost", patch.FileChange{Path: "a", Before: "1\n2\n", After: "1\n2"}, 3,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+2\n\\ No newline at end of file\n"},
		{"final line end gained", patch.FileChange{Path: "a", Before: "2", After: "2\n"}, 3,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n\\ No newline at end of file\n+2\n"},
		{"no final line end in the context", patch.FileChange{Path: "a", Before: "1\n2", After: "x\n2"}, 3,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+x\n 2\n\\ No newline at end of file\n"},
		{"carriage returns belong to lines", patch.FileChange{Path: "a", Before: "1\r\n2\r3\n", After: "1\n2\r3\n"}, 3,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\r\n+1\n 2\r3\n"},
		{"context that meets is one hunk", patch.FileChange{Path: "a", Before: "1\n2\n3\n4\n", After: "I\n2\n3\nIV\n"}, 1,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-1\n+I\n 2\n 3\n-4\n+IV\n"},
		{"context that does not meet is two", patch.FileChange{Path: "a", Before: "1\n2\n3\n4\n5\n", After: "I\n2\n3\n4\nV\nVI\n"}, 1,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-1\n+I\n 2\n@@ -4,2 +4,3 @@\n 4\n-5\n+V\n+VI\n"},
		{"the test that a hunk is in", patch.FileChange{Path: "a", Before: "class FeeTest:\n    def test_one(self):\n        a()\n        b()\n        c()\n", After: "class FeeTest:\n    def test_one(self):\n        a()\n        b()\n        d()\n"}, 1,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -4,2 +4,2 @@ def test_one(self):\n         b()\n-        c()\n+        d()\n"},
		{"no test that only comes before", patch.FileChange{Path: "a", Before: "func A() {\n\ta()\n}\n\nvar b = 1\n", After: "func A() {\n\ta()\n}\n\nvar b = 2\n"}, 0,
			"diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -5 +5 @@\n-var b = 1\n+var b = 2\n"},
		{"names with spaces and quotes", patch.FileChange{Kind: patch.Move, Path: `b"c`, From: "a b", Before: "1\n", After: "2\n"}, 0,
			"diff --git a/a b \"b/b\\\"c\"\nrename from a b\nrename to \"b\\\"c\"\n--- a/a b\t\n+++ \"b/b\\\"c\"\n@@ -1 +1 @@\n-1\n+2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, patch.Unified(tt.change, tt.context))
		})
	}
}

func TestUnified_OfAChangeSet(t *testing.T) {
	t.Parallel()
	set := patch.ChangeSet{Files: []patch.FileChange{
		{Kind: patch.Create, Path: "a", After: "1\n"}, {Kind: patch.Delete, Path: "b", Before: "2\n"},
	}}
	require.Equal(t, patch.Unified(set.Files[0], 3)+patch.Unified(set.Files[1], 3), set.Unified(3))
	require.Empty(t, patch.ChangeSet{}.Unified(3))
}

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$`)

// applyUnified is an implementation of its own that follows line numbers to the letter: it checks each
// context and removed line, and the counts.
func applyUnified(before, diff string) (string, error) {
	lines := strings.SplitAfter(before, "\n")
	var out strings.Builder
	at, left, right := 0, 0, 0
	rows := strings.SplitAfter(diff, "\n")
	for i := 0; i < len(rows); i++ {
		row := rows[i]
		text := strings.TrimSuffix(row, "\n")
		if m := hunkHeader.FindStringSubmatch(text); m != nil && left == 0 && right == 0 {
			from, _ := strconv.Atoi(m[1])
			left, right = count(m[2]), count(m[4])
			if left > 0 {
				from--
			}
			for ; at < from; at++ {
				out.WriteString(lines[at])
			}
			continue
		}
		if left == 0 && right == 0 {
			continue
		}
		text = row[1:]
		if i+1 < len(rows) && strings.HasPrefix(rows[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
			i++
		}
		if row[0] != '+' {
			if lines[at] != text {
				return "", fmt.Errorf("line %d is %q, not %q", at+1, lines[at], text)
			}
			at, left = at+1, left-1
		}
		if row[0] != '-' {
			out.WriteString(text)
			right--
		}
	}
	for ; at < len(lines); at++ {
		out.WriteString(lines[at])
	}
	if left != 0 || right != 0 {
		return "", fmt.Errorf("%d old and %d new lines missing", left, right)
	}
	return out.String(), nil
}

func count(digits string) int {
	if digits == "" {
		return 1
	}
	n, _ := strconv.Atoi(digits)
	return n
}
