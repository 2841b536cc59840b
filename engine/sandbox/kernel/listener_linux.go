package kernel

import (
	"os"

	"golang.org/x/sys/unix"
)

// Sockets returns two connected sockets, for Receive and for Send.
func Sockets() (receiver, sender *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	err = unix.SetNonblock(pair[0], true) // it waits without a thread
	return os.NewFile(uintptr(pair[0]), "receiver"), os.NewFile(uintptr(pair[1]), "sender"), err
}

// Send sends a letter through a socket, with a listener if that is not -1.
func Send(socket *os.File, letter byte, listener int) error {
	var rights []byte
	if listener >= 0 {
		rights = unix.UnixRights(listener)
	}
	return unix.Sendmsg(int(socket.Fd()), []byte{letter}, rights, nil, 0)
}

// Receive reads all that is sent through a socket, and the listener that was sent with it; nil for none.
func Receive(socket *os.File) (text []byte, listener *os.File, err error) {
	conn, err := socket.SyscallConn()
	if err != nil {
		return nil, nil, err
	}
	buffer, rights := make([]byte, 512), make([]byte, unix.CmsgSpace(4))
	for {
		var n, with int
		waited := conn.Read(func(fd uintptr) bool {
			n, with, _, _, err = unix.Recvmsg(int(fd), buffer, rights, unix.MSG_CMSG_CLOEXEC)
			return err != unix.EAGAIN && err != unix.EINTR //nolint:errorlint // they are not wrapped
		})
		if waited != nil {
			err = waited
		}
		if err != nil || n == 0 {
			return text, listener, err
		}
		text = append(text, buffer[:n]...)
		if fd := descriptor(rights[:with]); fd >= 0 && listener == nil {
			listener = os.NewFile(uintptr(fd), "listener")
		}
	}
}

// descriptor returns the descriptor in a control message, or -1.
func descriptor(control []byte) int {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil || len(messages) == 0 {
		return -1
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1
	}
	return fds[0]
}
