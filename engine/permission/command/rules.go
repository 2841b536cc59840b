package command

import "sync"

// rule returns why a call of a program is critical; empty if nothing is known against it.
type rule func(a args) string

// never is a rule for programs that no model needs.
func never(reason string) rule { return func(args) string { return reason } }

// rules returns the rules of all programs that have one, by their names.
func rules() map[string]rule {
	known.once.Do(func() { known.rules = allRules() })
	return known.rules
}

// known are the rules, once they are made.
var known struct {
	once  sync.Once
	rules map[string]rule
}

func allRules() map[string]rule {
	all := map[string]rule{}
	add := func(r rule, names ...string) {
		for _, name := range names {
			all[name] = r
		}
	}
	add(never("gets the rights of another user"), "sudo", "doas", "su", "runuser", "pkexec", "gosu", "setpriv", "nsenter", "chroot", "machinectl", "visudo", "sg", "newgrp")
	add(never("executes a text that is computed"), "eval")
	add(never("stops the machine"), "shutdown", "reboot", "halt", "poweroff", "init", "telinit", "kexec")
	add(never("changes disks"), "fdisk", "sfdisk", "cfdisk", "parted", "gdisk", "sgdisk", "wipefs", "mkswap", "swapoff", "swapon", "blkdiscard", "badblocks", "losetup", "cryptsetup",
		"lvremove", "vgremove", "pvremove", "mdadm", "mount", "umount", "diskutil", "format", "diskpart", "hdparm", "newfs", "zpool", "zfs", "btrfs", "resize2fs", "tune2fs", "debugfs", "fsck")
	add(never("destroys files so that they cannot be restored"), "shred", "srm", "wipe", "scrub", "bleachbit", "cipher", "sdelete")
	add(never("changes users or their passwords"), "useradd", "userdel", "usermod", "adduser", "deluser", "groupadd", "groupmod", "groupdel", "gpasswd", "passwd", "chpasswd", "chsh", "chfn", "vipw", "dscl", "newusers")
	add(never("changes how the machine works"), "insmod", "modprobe", "rmmod", "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "setenforce", "setcap", "setfacl", "chattr", "chflags", "hostnamectl", "timedatectl",
		"update-rc.d", "chkconfig", "launchctl", "nvram", "csrutil", "spctl", "bcdedit", "vssadmin", "wbadmin", "reg", "regedit", "schtasks", "sc", "wmic", "netsh", "takeown", "icacls", "attrib", "defaults", "tmutil", "grub-install",
		"efibootmgr", "ldconfig", "update-alternatives", "dpkg-reconfigure", "sysctl", "route", "arp", "brctl", "ifconfig", "nmcli", "resolvectl", "auditctl", "aa-disable", "semanage", "bpftool", "kextload", "swapctl", "alternatives")
	add(never("runs something later, when no one looks"), "crontab", "at", "batch", "atd", "anacron")
	add(never("ends processes of others by their names"), "killall", "pkill", "taskkill", "skill", "killall5")
	add(never("connects to another machine"), "ssh", "scp", "sftp", "ftp", "tftp", "lftp", "telnet", "rlogin", "rsh", "mosh", "ssh-copy-id", "sshpass", "autossh", "socat", "websocat", "ngrok", "cloudflared", "chisel", "frpc", "bore", "localtunnel", "lt", "tailscale", "rclone", "croc", "magic-wormhole", "wormhole", "s3cmd", "mc", "gsutil", "azcopy", "nslookup", "tor", "torsocks", "proxychains", "openvpn", "wg", "wg-quick", "smbclient", "ldapsearch", "dig", "host", "mail", "mailx", "sendmail", "mutt", "swaks", "msmtp")
	add(never("attacks or watches other machines or programs"), "nmap", "masscan", "hydra", "msfconsole", "msfvenom", "sqlmap", "john", "hashcat", "aircrack-ng", "tcpdump", "tshark", "wireshark", "ettercap", "mimikatz", "gdb", "lldb", "gcore", "xdotool", "xinput", "nikto", "responder", "bettercap", "xmrig", "minerd", "cgminer", "mitmproxy", "dtrace", "sysdig", "procdump", "arpspoof", "hping3", "slowloris", "stress", "stress-ng")
	add(never("reads or changes keys and passwords"), "security", "secret-tool", "keyring", "ssh-add", "pass", "op", "bw", "gpg", "gpg2", "vault", "kwallet-query", "chage", "certutil", "cmdkey", "ssh-keygen", "lpass", "keepassxc-cli", "age-keygen", "pinentry", "mkpasswd", "credhist")
	add(never("executes what a file of another place says"), "osascript", "mshta", "rundll32", "regsvr32", "bitsadmin", "wscript", "cscript", "msiexec", "installutil", "odbcconf", "cmstp", "forfiles", "debug", "script", "expect", "screen", "tmux", "dtach", "at.allow", "insmod.static")
	add(never("reads what the user has typed or copied"), "history", "fc", "xclip", "xsel", "pbpaste", "wl-paste", "xwd", "scrot", "import-screen", "screencapture", "arecord", "ffmpeg-capture", "last", "lastlog", "utmpdump", "w", "who")
	addFiles(add)
	addTools(add)
	addClouds(add)
	return all
}
