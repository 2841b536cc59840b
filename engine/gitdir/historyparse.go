package gitdir

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"forge/codeintel"
)

// maxMessage limits the stored message of a commit, in bytes.
const maxMessage = 4096

// parseHistory parses the output for historyArguments. With cut, it drops the last commit.
func parseHistory(out string, o origin, cut bool) []codeintel.Commit {
	if cut {
		out = out[:max(0, strings.LastIndex(out, "\x00\x00"))]
	}
	tokens := strings.Split(out, "\x00")
	boundary := shallowIDs(o.shallow)
	var commits []codeintel.Commit
	for at := 0; at+1 < len(tokens); {
		if tokens[at] != "" { // the rest of a damaged commit
			at++
			continue
		}
		commit, ok := parseCommit(tokens[at+1])
		at += 2
		for first := true; at < len(tokens) && tokens[at] != ""; at++ {
			path := tokens[at]
			if first {
				path, first = strings.TrimPrefix(path, "\n"), false
			}
			if path, inside := cutPrefixFolder(path, o.prefix); inside {
				commit.Paths = append(commit.Paths, path)
			}
		}
		if ok && !boundary[commit.ID] {
			slices.Sort(commit.Paths)
			commits = append(commits, commit)
		}
	}
	return commits
}

// parseCommit parses "<id> <seconds>\n<message>".
func parseCommit(text string) (codeintel.Commit, bool) {
	header, message, _ := strings.Cut(text, "\n")
	id, seconds, _ := strings.Cut(header, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || !IsObjectID(id) {
		return codeintel.Commit{}, false
	}
	if len(message) > maxMessage {
		message = message[:maxMessage]
	}
	message = strings.TrimSpace(strings.ToValidUTF8(message, ""))
	return codeintel.Commit{ID: id, Time: time.Unix(at, 0).UTC(), Message: strings.Clone(message)}, true
}

func cutPrefixFolder(path, folder string) (string, bool) {
	if folder == "" {
		return path, true
	}
	return strings.CutPrefix(path, folder+"/")
}

func shallowIDs(text string) map[string]bool {
	ids := map[string]bool{}
	for id := range strings.FieldsSeq(text) {
		ids[id] = true
	}
	return ids
}
