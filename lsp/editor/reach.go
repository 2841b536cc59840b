package editor

import (
	"os"
	"time"

	"forge/lsp/transport"
)

// reachable is how long a folder may take until the system has looked at it.
const reachable = 10 * time.Second

// Reach returns an error with what to do if the system does not get an answer about a folder, as on a mount whose server is gone. Other
// faults of the folder are reported by what needs it. The goroutine that waits for the system ends with that or with the process: nothing
// can interrupt it.
func (f *Folders) Reach(folder Folder) error {
	answered := make(chan struct{})
	go func() {
		_, _ = os.Stat(folder.Path) // also a fault is an answer
		close(answered)
	}()
	patience := time.NewTimer(reachable)
	defer patience.Stop()
	select {
	case <-answered:
		return nil
	case <-patience.C:
		return transport.InvalidParams("The folder %s did not answer within %s, and nothing was started. If it is on a network or a removed disk, connect it again; otherwise open another folder.", folder.Path, reachable)
	}
}
