//go:build !linux && !darwin

package sandbox

import "os/exec"

// box confines nothing: this system has no way that needs no administrator. Processes have a temporary folder of their own.
func box(_ Command, cmd *exec.Cmd) confined {
	made := confined{layers: Layers{Missing: "Forge cannot confine processes on this system"}}
	temp, remove, err := privateFolder()
	if err != nil {
		return made
	}
	cmd.Env = append(cmd.Env, "TMP="+temp, "TEMP="+temp, "TMPDIR="+temp)
	made.remove = remove
	return made
}
