package sandbox

// Box is what a command may reach, beside the system's own programs and files, which it can only read. It has a private HOME and private
// folders for temporary files, the places of tools and their caches in HOME, and nothing else of the user's. Where the system cannot
// confine it to that, Layers says how far it can.
type Box struct {
	// Tree is the folder that the command works on. It can be written.
	Tree string
	// Readable are further folders that the command needs: the workspace of the tree, whose installed packages are linked from it.
	// Files in them that usually contain secrets (".env") are hidden.
	Readable []string
	// Caches is a folder of Forge's own: what the command adds to caches of tools is kept here, and the user's caches stay as they
	// are. Concurrent commands use different parts of it.
	Caches string
	// Network gives the command the network of the machine. Without it there is only a loopback interface of its own.
	Network bool
}

// Layers are what confines a command, for reports: empty means nothing does.
type Layers struct {
	// Files is how files are confined: "mounts" (the command sees nothing else), "landlock" (it cannot open them), or "".
	Files string
	// Network is how it is kept from the network: "namespace" (it has a loopback of its own), "filter" (it can create no sockets of
	// the internet), or "".
	Network string
	// Processes reports that it sees and signals no other processes. Calls reports that dangerous system calls are refused.
	Processes, Calls bool
	// Missing is why a layer is missing, for users; empty if none is.
	Missing string
}
