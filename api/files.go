package api

// FilesArgs list a folder.
type FilesArgs struct {
	Dir    string `json:"dir,omitempty" doc:"a folder below, relative, with slashes; without it the workspace folder itself"`
	Hidden bool   `json:"hidden,omitempty" doc:"also names that begin with a dot"`
	InFolder
}

// FilesResult lists files and folders, by name.
type FilesResult struct {
	Entries []FileEntry `json:"entries"`
}

// FileEntry is a file, or a folder with files.
type FileEntry struct {
	Path   string `json:"path" doc:"relative to the workspace folder, with slashes"`
	Folder bool   `json:"folder,omitempty"`
}

// FileSearchArgs find files by their paths.
type FileSearchArgs struct {
	Query string `json:"query" doc:"a part of the path, or several words that all occur in it; upper and lower case are the same"`
	Limit int    `json:"limit,omitempty" doc:"limit of files; 20 by default"`
	InFolder
}

// FileSearchResult lists files whose paths match, best first: the name itself, its beginning, a part of it, a part of the path.
type FileSearchResult struct {
	Paths []string `json:"paths" doc:"relative to the workspace folder, with slashes"`
	More  int      `json:"more,omitempty" doc:"number of further files that match"`
}

// FileStatusResult lists the files that differ from the commit that is checked out, by path.
type FileStatusResult struct {
	Compared bool         `json:"compared" doc:"false without a commit that Forge can read; then files is empty"`
	Files    []FileStatus `json:"files"`
}

// FileStatus is a file that differs from the commit that is checked out.
type FileStatus struct {
	Path  string `json:"path" doc:"relative to the workspace folder, with slashes"`
	State string `json:"state" enum:"modified,untracked,deleted"`
}

// FileReadArgs read a file.
type FileReadArgs struct {
	Path string `json:"path" doc:"relative to the workspace folder, with slashes"`
	InFolder
}

// FileRead is a file as the user has it, unsaved text included.
type FileRead struct {
	Path    string `json:"path"`
	State   string `json:"state" doc:"against the commit that is checked out; unknown without one" enum:"unchanged,modified,untracked,unknown"`
	Text    string `json:"text,omitempty" doc:"the content, if it is UTF-8 text; secrets are replaced"`
	Base64  string `json:"base64,omitempty" doc:"the content, if it is not text"`
	Bytes   int    `json:"bytes" doc:"size of the content"`
	Diff    string `json:"diff,omitempty" doc:"unified diff against the commit, if the file is text"`
	Unsaved bool   `json:"unsaved,omitempty" doc:"the content is that of the editor, not that on disk"`
}
