package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/internal/failpoint"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// said is a record whose body is a text.
func said(text string) Record {
	body, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return Record{Kind: TurnUser, At: noon, Writer: "editor", Body: body}
}

func TestWhatIsAppendedIsRead(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "conversations")
	log, err := Open(folder, "chat-1", nil)
	require.NoError(t, err)
	want := []Record{
		{Kind: SessionCreated, At: noon},
		said("a short one"),
		said(strings.Repeat("long \"quoted\" – ünïcode\x00\n ", 1000)),
		{Kind: "kind-of-a-later-version", At: noon, Run: "r1", Body: json.RawMessage(`{"a":1}`)},
	}
	for _, r := range want {
		require.NoError(t, log.Append(r))
	}
	require.NoError(t, log.Close())

	got, notes, err := Read(folder, "chat-1")
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Empty(t, cmp.Diff(want, got))

	text, err := os.ReadFile(filepath.Join(folder, "chat-1.jsonl"))
	require.NoError(t, err)
	for _, l := range strings.SplitAfter(string(text), "\n") {
		require.LessOrEqual(t, len(l), LineLimit)
	}
	found, err := List(folder)
	require.NoError(t, err)
	require.Equal(t, []string{"chat-1"}, found)
	require.NoError(t, Remove(folder, "chat-1"))
	found, err = List(folder)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestAnyTextSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(t, "text"), rapid.IntRange(1, 60).Draw(t, "times"))
		lines, err := encode(said(text), "0123456789abcdef")
		require.NoError(t, err)
		var file strings.Builder
		for _, l := range lines {
			require.LessOrEqual(t, len(l), LineLimit)
			require.Equal(t, 1, strings.Count(string(l), "\n"))
			file.Write(l)
		}
		got, notes, err := Parse(strings.NewReader(file.String()))
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Empty(t, cmp.Diff([]Record{said(text)}, got))
	})
}

func TestDamageIsLeftOutWithANote(t *testing.T) {
	t.Parallel()
	whole, err := encode(said("whole"), "")
	require.NoError(t, err)
	long, err := encode(said(strings.Repeat("long ", 2000)), "0123456789abcdef")
	require.NoError(t, err)
	require.Len(t, long, 3)
	line, first, second, third := string(whole[0]), string(long[0]), string(long[1]), string(long[2])
	for name, test := range map[string]struct {
		file    string
		records int
		notes   []int // lines
	}{
		"nothing":                     {"", 0, nil},
		"whole":                       {line + line, 2, nil},
		"empty lines":                 {line + "\n \n" + line, 2, nil},
		"torn last line":              {line + line[:10], 1, []int{2}},
		"torn line that was ended":    {line + line[:10] + "\n" + line, 2, []int{2}},
		"no JSON":                     {"<<<<<<< HEAD\n" + line, 1, []int{1}},
		"no kind":                     {"{}\n" + line, 1, []int{1}},
		"a record between its lines":  {first + line + second + third, 2, nil},
		"a record that lacks its end": {first + second + line, 1, []int{1}},
		"a record that lacks a line":  {first + third + line, 1, []int{1, 2}},
		"a record without its start":  {second + third + line, 1, []int{1, 2}},
		"a line twice":                {first + first + second + third, 1, []int{2}},
		"impossible part":             {`{"part":"x","n":3,"of":2,"text":""}` + "\n", 0, []int{1}},
		"a part of a part":            {`{"part":"x","n":1,"of":1,"text":"{\"part\":\"y\",\"n\":1,\"of\":1}"}` + "\n", 0, []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records, notes, err := Parse(strings.NewReader(test.file))
			require.NoError(t, err)
			require.Len(t, records, test.records)
			var lines []int
			for _, n := range notes {
				lines = append(lines, n.Line)
			}
			require.Equal(t, test.notes, lines, notes)
		})
	}
}

func TestTheNextWriterEndsATornLine(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c.jsonl"), []byte(`{"kind":"turn-us`), 0o600))
	log, err := Open(folder, "c", nil)
	require.NoError(t, err)
	require.NoError(t, log.Append(said("after")))
	require.NoError(t, log.Close())
	records, notes, err := Read(folder, "c")
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]Record{said("after")}, records))
	require.Len(t, notes, 1)
}

// TestWritersDoNotMixTheirLines has several open files write records of one and of many lines.
func TestWritersDoNotMixTheirLines(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	const writers, each = 6, 60
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			log, err := Open(folder, "shared", nil)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				text := strings.Repeat(string(rune('a'+w)), 1+i*400)
				if err := log.Append(said(text)); err != nil {
					t.Error(err)
				}
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	records, notes, err := Read(folder, "shared")
	require.NoError(t, err)
	require.Empty(t, notes)
	seen := map[string]int{}
	for _, r := range records {
		var text string
		require.NoError(t, json.Unmarshal(r.Body, &text))
		require.Equal(t, strings.Repeat(text[:1], len(text)), text, "lines of several writers are mixed")
		require.Len(t, text, 1+seen[text[:1]]*400, "the records of one writer are out of order")
		seen[text[:1]]++
	}
	require.Len(t, records, writers*each)
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, "a b", strings.Repeat("x", 129), "ü"} {
		_, err := Open(folder, id, nil)
		require.ErrorIs(t, err, ErrInvalid, id)
		_, _, err = Read(folder, id)
		require.ErrorIs(t, err, ErrInvalid, id)
		require.ErrorIs(t, Remove(folder, id), ErrInvalid, id)
	}
	log, err := Open(folder, strings.Repeat("x", 128), nil)
	require.NoError(t, err)
	require.ErrorIs(t, log.Append(Record{At: noon}), ErrInvalid)
	require.ErrorIs(t, log.Append(Record{Kind: TurnUser, Body: json.RawMessage(`{`)}), ErrInvalid)
	require.NoError(t, log.Close())
	records, notes, err := Read(folder, strings.Repeat("x", 128))
	require.NoError(t, err)
	require.Empty(t, records)
	require.Empty(t, notes)
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "{}\n", `{"kind":"turn-user","at":"2026-11-21T12:00:00Z","body":{"a":1}}` + "\n",
		`{"part":"x","n":1,"of":2,"text":"{"}` + "\n" + `{"part":"x","n":2,"of":2,"text":"}"}` + "\n", "{\"kind\":\"a\"}\n{\"ki",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		records, _, err := Parse(strings.NewReader(string(text)))
		require.NoError(t, err)
		// What was read is kept: written again it is read again.
		var file strings.Builder
		for _, r := range records {
			lines, err := encode(r, "0123456789abcdef")
			if err != nil {
				return // a time that JSON cannot say
			}
			for _, l := range lines {
				file.Write(l)
			}
		}
		again, notes, err := Parse(strings.NewReader(file.String()))
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Len(t, again, len(records))
	})
}

// TestKilledWritersLoseNothing kills a process at each place where it writes a record of several lines: what it had
// appended before is there, the record is there whole or not at all, and others go on.
func TestKilledWritersLoseNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	long := said(strings.Repeat("long ", 2000)) // three lines
	for n := 1; n <= 3; n++ {
		for _, place := range Failpoints() {
			id := fmt.Sprint(place, n)
			log, err := Open(folder, id, nil)
			require.NoError(t, err)
			require.NoError(t, log.Append(said("before")))
			self, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), "FORGE_TRANSCRIPT_CHILD="+folder, "FORGE_TRANSCRIPT_ID="+id, failpoint.Environment+"="+fmt.Sprint(place, ":", n))
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "nobody passed %s", place)
			require.Empty(t, string(out))
			require.NoError(t, log.Append(said("after")))
			require.NoError(t, log.Close())

			records, notes, err := Read(folder, id)
			require.NoError(t, err)
			want := []Record{said("before"), said("after")}
			whole := place == failAppended && n == 3
			if whole {
				want = []Record{said("before"), long, said("after")}
			}
			require.Empty(t, cmp.Diff(want, records))
			begun := !whole && (place == failAppended || n > 1)
			require.Equal(t, begun, len(notes) == 1, notes)
		}
	}
}

// TestMain is also the main of the process that is killed.
func TestMain(m *testing.M) {
	folder := os.Getenv("FORGE_TRANSCRIPT_CHILD")
	if folder == "" {
		os.Exit(m.Run())
	}
	err := failpoint.Arm(os.Getenv(failpoint.Environment))
	if err == nil {
		var log *Log
		if log, err = Open(folder, os.Getenv("FORGE_TRANSCRIPT_ID"), nil); err == nil {
			err = log.Append(said(strings.Repeat("long ", 2000)))
		}
	}
	fmt.Fprintln(os.Stderr, "it lives:", err)
}
