// Package atlas is what Forge knows about one folder: its index, history and import graph, brought together for
// whoever asks: the fronts, and the prompts of a run.
//
//	shadow.Repo ──files──► index ──View──► imports.Graph ─┐
//	     │                   │                            ├──► parts ──► Search, Map, Context, Symbols
//	     └──────history──────┼────────────────────────────┘
//	Cover, Uncover, Changed ─┘
//
// A question is answered from the newest view of the index at once. The graph and the history follow behind, in
// goroutines of the atlas: right after a change an answer may use those of a moment ago.
//
// Invariant: an atlas starts no program of the folder and writes nothing into it. git runs only as engine/shadow does
// it, with a private directory. So a folder that nobody trusts yet may be searched.
package atlas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
	"forge/engine/shadow"
	"forge/engine/workspace"
)

// HistoryLimit is how many commits are read, the newest ones.
const HistoryLimit = 4000

// ErrClosed says that an atlas was asked after Close.
var ErrClosed = errors.New("forge is shutting down: the index of the folder is closed")

// Options are what an atlas needs from the outside.
type Options struct {
	Root     string             // the folder
	StateDir string             // Forge's own folder; the index goes below atlas/<hash of the root> in it
	Repo     *shadow.Repo       // lists the files and reads the history; nil where there is no git: the folder is walked
	Outliner codeintel.Outliner // finds the symbols; nil: there are none
	Progress func(done, total int)
}

// Atlas is what is known about one folder. It may be used by several goroutines.
type Atlas struct {
	root     string
	outliner codeintel.Outliner
	repo     *shadow.Repo
	index    store

	stop context.CancelFunc
	work sync.WaitGroup
	view signal // the index may have changed
	head signal // HEAD may have moved

	mu    sync.Mutex // guards all below; held for moments only
	state state
	moved chan struct{} // closed, and made anew, whenever state changes

	making sync.Mutex // guards made, and is held while parts are made: who needs them as well waits for them
	made   *parts
}
