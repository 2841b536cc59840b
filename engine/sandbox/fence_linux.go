package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"forge/engine/sandbox/kernel"
)

// fence restricts this process by Landlock: a jailed one to the entries of its order, another one to nothing, so that it only has a
// domain of its own.
func fence(o order) error {
	hides := o.setup.jailed && !o.setup.mounted
	r, err := kernel.NewFence(o.setup.jailed, hides)
	if err != nil {
		return err
	}
	changing, reading := devices, processFiles
	switch {
	case !o.setup.jailed:
		changing, reading = []string{"/"}, nil
	case !hides:
		changing, reading = []string{"/dev"}, nil
	}
	for _, path := range changing {
		err = errors.Join(err, r.Allow(path, true))
	}
	for _, path := range reading {
		err = errors.Join(err, r.Allow(path, false))
	}
	for _, path := range o.changeable() {
		err = errors.Join(err, r.Allow(path, true))
	}
	for _, e := range o.entries {
		if e.kind == readable || e.kind == installed && !o.setup.mounted {
			err = errors.Join(err, openExcept(r, e.path, o.entries))
		}
	}
	if err != nil {
		return err
	}
	return r.Restrict()
}

// processFiles are the files of /proc that a command may read if it has none of its own: about itself and the machine, not about
// other processes.
var processFiles = []string{
	"/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys", "/proc/filesystems", "/proc/loadavg",
	"/proc/uptime", "/proc/version", "/proc/vmstat", "/proc/zoneinfo", "/proc/cgroups", "/proc/devices", "/proc/diskstats", "/proc/swaps",
}

// changeable returns the files and folders that a command may change, with everything beneath them.
func (o order) changeable() (paths []string) {
	for _, e := range o.entries {
		at := e.path
		switch {
		case e.kind == overlaid && !o.setup.mounted: // where nothing is mounted, it has another path
			var err error
			if at, err = os.Readlink(filepath.Join(e.target, buildsLink)); err != nil {
				continue // its cache was removed
			}
		case e.kind == private && !o.setup.mounted:
			at = e.target
		case e.kind == installed && o.setup.mounted:
		case e.kind != writable && e.kind != overlaid && e.kind != private:
			continue
		}
		paths = append(paths, at)
	}
	return paths
}

// openExcept makes a folder readable but for what is masked in it.
func openExcept(r kernel.Fence, path string, entries []entry) error {
	hidden := func(in string) bool {
		return slices.ContainsFunc(entries, func(m entry) bool { return m.kind == masked && isBeneath(m.path, in) })
	}
	if !r.RestrictsReading() || !hidden(path) {
		return r.Allow(path, false)
	}
	names, err := os.ReadDir(path)
	if err != nil {
		return nil //nolint:nilerr // unreadable or deleted, or a masked file
	}
	for _, name := range names {
		at := filepath.Join(path, name.Name())
		if slices.ContainsFunc(entries, func(m entry) bool { return m.kind == masked && m.path == at }) {
			continue
		}
		if err := openExcept(r, at, entries); err != nil {
			return err
		}
	}
	return nil
}

// landlocked reports whether Landlock can be used. Tests replace it.
var landlocked = kernel.CanFence

// confinable reports whether commands can be jailed even if the kernel refuses namespaces.
func confinable() bool { return landlocked() }
