package command

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

func addTools(add func(r rule, names ...string)) {
	add(gitRule, "git", "hub")
	add(network, "curl", "wget", "http", "https", "xh", "aria2c", "httpie")
	add(netcat, "nc", "ncat", "netcat")
	add(publishing, "npm", "yarn", "pnpm", "npx", "bun", "cargo", "gem", "poetry", "uv", "hatch", "flit", "twine", "pip", "pipx", "mvn", "gradle", "dotnet", "nuget", "composer", "conda", "vsce", "ovsx", "lerna", "changeset", "semantic-release", "goreleaser", "np", "release-it", "luarocks", "cabal", "mix", "pod", "brew", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "zypper", "snap", "flatpak", "rpm", "dpkg")
	add(building, "go", "make", "gmake", "just", "cmake", "ninja", "rake", "rails", "bundle", "bin/rails", "artisan", "manage.py", "prisma", "knex", "sequelize", "alembic", "flyway", "liquibase", "typeorm", "drizzle-kit", "supabase")
	add(databases, "psql", "mysql", "mariadb", "sqlite3", "sqlite", "mongo", "mongosh", "redis-cli", "mysqladmin", "dropdb", "dropuser", "createuser", "clickhouse-client", "cqlsh", "sqlcmd", "duckdb", "influx", "etcdctl", "pg_restore", "mongorestore", "rabbitmqctl", "kafka-topics", "rabbitmqadmin")
	add(openssl, "openssl")
}

var gitConfig = lazyregexp.New(`(?i)^(alias\.|core\.(sshcommand|pager|editor|fsmonitor|hookspath|gitproxy|askpass|worktree)|diff\..*|filter\.|credential|protocol\.|gpg\.|merge\..*driver|pager\.|sequence\.editor|uploadpack|receive|remote\..*(url|vcs|uploadpack|receivepack)|url\.|http\.(proxy|sslverify)|include|init\.templatedir|user\.signingkey)`)

// gitRule is git, behind its global options.
func gitRule(a args) string {
	i := 0
	for i < len(a.list) && strings.HasPrefix(a.list[i], "-") {
		switch option := a.list[i]; {
		case option == "-c" || option == "--config-env":
			if i+1 < len(a.list) && gitConfig.MatchString(a.list[i+1]) {
				return "has git execute something that its settings name"
			}
			i++
		case strings.HasPrefix(option, "-c") && gitConfig.MatchString(option[2:]), strings.HasPrefix(option, "--exec-path="), strings.HasPrefix(option, "--config-env"):
			return "has git execute something that its settings name"
		case option == "-C" || option == "--git-dir" || option == "--work-tree" || option == "--namespace":
			if i+1 < len(a.list) && outside(a.list[i+1]) && a.list[i+1] != ".." {
				return "works on a repository outside of the folder"
			}
			i++
		}
		i++
	}
	if i >= len(a.list) {
		return ""
	}
	if strings.Contains(a.list[i], unknown) {
		return "has git do something that is computed"
	}
	return gitCommand(args{name: a.list[i], list: a.list[i+1:], depth: a.depth})
}

// gitCommand judges one command of git.
func gitCommand(a args) string {
	const lost = "throws away work that git cannot bring back"
	switch a.name {
	case "push", "send-email", "request-pull", "send-pack", "http-push", "daemon", "instaweb", "svn", "p4", "remote-ext", "remote-fd":
		return "sends commits to another machine, or serves them"
	case "filter-branch", "filter-repo", "fast-import", "replace", "update-ref", "prune", "repack", "symbolic-ref", "bfg", "update-index", "hook", "maintenance":
		return "rewrites the history of the repository"
	case "credential", "credential-store", "credential-cache", "credential-manager":
		return "reads or changes keys and passwords"
	}
	switch {
	case a.name == "reset" && (a.long("--hard", "--merge") || a.has("--keep")), a.name == "clean" && (a.short("fxX") || a.long("--force")) && !a.has("-n") && !a.long("--dry-run"),
		a.name == "checkout" && (a.short("f") || a.long("--force") || slices.ContainsFunc(a.plain(), whole)), a.name == "restore" && slices.ContainsFunc(a.plain(), whole),
		a.name == "switch" && (a.short("fC") || a.long("--force", "--discard-changes")), a.name == "stash" && a.any("drop", "clear"), a.name == "branch" && (a.short("D") || a.short("d") && a.short("f") || a.long("--force") || a.has("-M")),
		a.name == "reflog" && a.any("expire", "delete"), a.name == "gc" && (a.contains("--prune=") || a.has("--aggressive")), a.name == "worktree" && a.has("remove") && (a.short("f") || a.long("--force")), a.name == "tag" && a.any("-d", "--delete", "-f"),
		a.name == "rm" && (slices.ContainsFunc(a.plain(), whole) || a.short("f") && a.short("r")), a.name == "notes" && a.has("remove"), a.name == "checkout-index" && a.short("f"), a.name == "read-tree" && a.any("--reset", "-u"):
		return lost
	case a.name == "config" && (a.any("--global", "--system") || slices.ContainsFunc(a.plain(), gitConfig.MatchString)) && !a.any("--get", "--list", "-l", "--get-all", "get", "list"):
		return "changes how git works, or what it executes"
	case a.name == "remote" && a.any("add", "set-url", "rename", "remove", "rm"):
		return "changes the machine that commits are sent to"
	case a.contains("ext::", "--upload-pack", "--receive-pack", "--open-files-in-pager", "--extcmd", "fd::") || a.name == "grep" && a.short("O") || a.name == "difftool" && a.short("x") || a.name == "archive" && (a.contains("--remote") || a.contains("--exec")), a.name == "clone" && a.any("-u", "-c", "--template", "--config"), a.name == "init" && a.contains("--template"):
		return "has git start another program"
	case a.name == "submodule" && a.has("foreach"):
		return gitStarts(a, a.after("foreach"))
	case a.name == "bisect" && a.has("run"):
		return call{argv: a.after("run")}.critical(a.depth + 1)
	case a.name == "rebase" && (a.has("-x") || a.contains("--exec")):
		return gitStarts(a, []string{a.value("-x", "--exec")})
	}
	return ""
}

// gitStarts judges a line that git gives to a shell.
func gitStarts(a args, line []string) string {
	for len(line) > 0 && strings.HasPrefix(line[0], "--") {
		line = line[1:]
	}
	return criticalScript(strings.ReplaceAll(strings.Join(line, " "), unknown, "$x"), a.depth+1)
}

// senders send what they read from their input to another machine.
var senders = map[string]bool{
	"nc": true, "ncat": true, "netcat": true, "socat": true, "ssh": true, "telnet": true, "mail": true, "mailx": true, "sendmail": true, "ftp": true, "tftp": true, "openssl": true, "websocat": true, "croc": true, "wormhole": true, "gh-gist": true,
}

// network are programs that read from the web, and may send.
func network(a args) string {
	output := a.value("-o", "-O", "--output", "--output-document", "-P", "--directory-prefix", "--output-dir", "-d")
	if a.name == "curl" {
		output = a.value("-o", "--output", "--output-dir")
	}
	if reason := writesTo(orDot(output)); reason != "" && output != "-" {
		return reason
	}
	if local.MatchString(strings.Join(a.plain(), " ")) && !a.contains("@", "file://", "gopher") {
		return ""
	}
	httpie := a.name == "http" || a.name == "https" || a.name == "xh" || a.name == "httpie"
	sends := a.short("dFT") || a.long("--data", "--data-binary", "--data-raw", "--data-urlencode", "--form", "--upload-file", "--json", "--post-file", "--post-data", "--body-file", "--body-data", "--config", "--method")
	method := strings.ToUpper(a.value("-X", "--request", "--method"))
	if a.name == "wget" {
		sends = a.long("--post-file", "--post-data", "--body-file", "--body-data", "--use-askpass", "--execute") || a.has("-e")
	}
	switch {
	case sends || httpie && (a.any("POST", "PUT", "DELETE", "PATCH") || a.contains("@", ":=")), method != "" && method != "GET" && method != "HEAD", a.short("K"):
		return "sends data to another machine"
	case a.contains(unknown, "file://", "gopher://", "dict://", "ldap://", "smb://", "scp://", "sftp://", "ftp://"):
		return "sends to, or reads from, a place that is computed or no page of the web"
	}
	return ""
}

var local = lazyregexp.New(`^(\S*\s)*(https?://)?(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(:\d+)?(/\S*)?(\s|$)`)

// netcat may only look whether a port is open.
func netcat(a args) string {
	if a.short("z") && !a.short("elc") {
		return ""
	}
	return "connects to another machine"
}

// publishing are package managers: what they publish, and from where they install.
func publishing(a args) string {
	published := []string{"publish", "unpublish", "login", "logout", "adduser", "token", "owner", "access", "deprecate", "dist-tag", "yank", "push", "upload", "release", "deploy", "register", "hook", "team", "profile", "star", "unstar", "sign", "trunk", "nexus-staging:release", "release:perform", "release:prepare", "publishtosonatype", "publishplugins", "hex.publish"}
	first := a.verb()
	if a.name == "dotnet" && first == "nuget" || a.name == "mix" && first == "hex" || a.name == "pod" && first == "trunk" || a.name == "yarn" && first == "npm" || a.name == "pnpm" && first == "-r" {
		first = strings.ToLower(strings.Join(append(a.plain(), "", "")[1:2], ""))
	}
	switch {
	case slices.Contains(published, first) && a.name != "dotnet" || a.name == "dotnet" && (first == "push" || first == "delete"), a.name == "twine", a.name == "semantic-release", a.name == "np", a.name == "release-it", a.name == "goreleaser" && !a.any("check", "--snapshot"),
		a.name == "vsce" && a.has("publish"), (a.name == "npx" || a.name == "bun") && a.any("publish", "semantic-release", "np", "gh-pages", "vercel", "netlify", "surge", "wrangler"), a.name == "gradle" && a.contains("publish"), a.name == "mvn" && a.contains("deploy", "release:"), a.has("publish"), a.name == "lerna" && a.has("version"):
		return "publishes, or changes what is published"
	case a.contains("--index-url", "--extra-index-url", "--registry", "--trusted-host", "--find-links") || a.has("-i") && strings.HasPrefix(a.name, "pip"), a.any("install", "add", "i") && a.contains("://", "git+", "git@", "file:"), a.name == "cargo" && a.has("--git"):
		return "installs from a place that the project does not name"
	case a.any("config") && a.contains("registry", "proxy", "strict-ssl", "script-shell", "_auth", "index-url", "sources.", "repositories.", "ignore-scripts=false", "cafile") && !a.any("get", "list"), a.name == "pip" && a.has("config") && a.has("set"):
		return "changes where packages come from"
	case (a.name == "npm" || a.name == "pnpm" || a.name == "npx") && (a.has("-c") || a.contains("--call")):
		return criticalScript(a.value("-c", "--call"), a.depth+1)
	}
	system := []string{"apt", "apt-get", "dnf", "yum", "pacman", "apk", "zypper", "snap", "flatpak", "rpm", "dpkg", "brew"}
	if slices.Contains(system, a.name) && !a.any("list", "search", "show", "info", "--version", "policy", "-l", "-L", "-s", "-S", "-Q", "-Qi", "-qa", "-q", "deps", "outdated", "doctor", "query", "leaves", "config", "--prefix", "-qi") {
		return "changes what is installed on the machine"
	}
	return ""
}

// building are programs that build, test and migrate.
func building(a args) string {
	switch {
	case a.contains("-toolexec", "--eval=", "goflags=", "goproxy=", "gosumdb=", "gonosumdb=", "gopath=/"), a.has("--eval"), a.name == "go" && a.has("env") && a.short("w"), a.name == "go" && (a.has("-exec") || a.contains("-exec=")),
		strings.HasSuffix(a.name, "make") && (a.contains("shell=") || a.value("-f") == "-" || strings.HasPrefix(a.value("-f"), "/dev/") || a.has("-f-")), a.name == "cmake" && a.has("-E") && a.any("rm", "remove_directory", "env"):
		return "makes the build execute something else"
	case a.contains("db:drop", "db:reset", "db:purge", "migrate:fresh", "migrate:reset", "migrate:rollback", "db:wipe", "db:schema:load", "schema:drop", "db:truncate"), a.has("flush") || a.has("reset_db"), a.has("reset") && a.any("migrate", "db"), a.has("--accept-data-loss"), a.has("--force-reset"), a.name == "flyway" && a.has("clean"), a.name == "liquibase" && a.contains("drop"), a.name == "alembic" && a.has("downgrade"):
		return "deletes data of a database"
	case a.any("publish", "release", "deploy", "prod", "production") && a.name != "cmake" && a.name != "go" || a.name == "go" && a.any("clean") && a.contains("-modcache"):
		return "publishes, or removes what all projects share"
	}
	if strings.HasSuffix(a.name, "make") {
		if dir := a.value("-C", "--directory"); outside(orDot(dir)) {
			return "works outside of the folder"
		}
	}
	return ""
}

var destructive = lazyregexp.New(`(?i)\b(drop\s+(table|database|schema|user|role|index|view|keyspace|owned)|truncate\b|delete\s+from|alter\s+(user|role|system)|grant\s+|revoke\s+|flushall|flushdb|dropdatabase|\.drop\(|deletemany|remove\(\{|shutdown|config\s+set|slaveof|replicaof|copy\s+.*(program|to\s+'/)|into\s+(out|dump)file|load_file|load_extension|xp_cmdshell|pg_read_file|update\s+\w+\s+set|attach\s+database|debug\s+sleep|eval\b|system\()`)

// databases may be read.
func databases(a args) string {
	text := strings.Join(a.list, " ")
	switch {
	case destructive.MatchString(text), a.name == "mysqladmin" && a.any("drop", "shutdown", "flush-privileges", "password", "kill"), a.name == "dropdb", a.name == "dropuser", a.name == "createuser",
		strings.Contains(text, `\!`), strings.Contains(text, ".shell"), strings.Contains(text, ".system"), strings.Contains(text, ".import |"), strings.Contains(text, ".output |"), a.any("--delete", "--drop", "--clean", "-c") && (a.name == "mongorestore" || a.name == "pg_restore" || a.name == "kafka-topics"),
		a.name == "redis-cli" && a.any("DEL", "del", "UNLINK"), a.name == "etcdctl" && a.any("del"), a.name == "influx" && a.has("delete"), strings.HasPrefix(a.name, "rabbitmq") && a.contains("delete", "reset", "stop"):
		return "deletes or changes data, or starts programs from a database"
	}
	return ""
}

func openssl(a args) string {
	if a.any("s_client", "s_server", "enc", "rsautl", "genrsa", "genpkey", "pkey", "rsa", "pkcs12", "pkeyutl") {
		return "connects, encrypts files, or works with keys"
	}
	return ""
}
