package command

import (
	"slices"
	"strings"
)

func addClouds(add func(r rule, names ...string)) {
	add(readOnlyCloud, "aws", "gcloud", "az", "doctl", "heroku", "flyctl", "fly", "vercel", "netlify", "firebase", "wrangler", "linode-cli", "oci", "ibmcloud", "openstack", "hcloud", "scw", "render", "railway", "eb", "sam", "cdk", "serverless", "sls", "surge", "gh-pages", "pulumi", "terraform", "tofu", "terragrunt", "packer", "ansible", "ansible-playbook", "salt", "chef", "puppet", "knife", "nomad", "consul", "eksctl", "kops", "cf", "bq", "amplify", "copilot", "stripe", "twilio")
	add(kubernetes, "kubectl", "oc", "k", "helm", "helmfile", "k3s", "argocd", "flux", "kubeadm", "kind", "minikube")
	add(containers, "docker", "podman", "nerdctl", "docker-compose", "ctr", "crictl", "lxc", "buildah", "skopeo", "vagrant", "virsh", "multipass")
	add(hosting, "gh", "glab", "hub", "tea", "bb", "jira")
}

// reads are words with which programs for clouds only read.
var reads = []string{
	"list", "ls", "describe", "show", "get", "version", "--version", "-v", "help", "--help", "info", "plan", "validate", "fmt", "whoami", "status", "output", "logs", "log", "graph", "providers", "preview", "diff", "lint", "synth",
	"inspect", "view", "search", "get-contexts", "top", "cluster-info", "api-resources", "api-versions", "explain", "current-context", "template", "history", "ps", "images", "init", "--syntax-check", "--list", "console-output", "get-caller-identity", "doctor", "regions", "build",
}

// readOnlyCloud lets a program for a cloud read, and do nothing else.
func readOnlyCloud(a args) string {
	plain := a.plain()
	writes := []string{"delete", "destroy", "apply", "rm", "rb", "remove", "deploy", "terminate", "create", "import", "taint", "force-unlock", "set", "put", "update", "cp", "sync", "mv", "push", "up", "reset", "purge", "stop", "kill", "scale", "login", "ssh", "exec", "run", "config", "auth", "print-access-token", "secrets", "secretsmanager", "get-secret-value", "get-parameter", "get-login-password", "get-session-token", "print-identity-token", "get-access-token"}
	for _, p := range plain {
		word, _, _ := strings.Cut(strings.ToLower(p), ":")
		if slices.Contains(writes, strings.ToLower(p)) || slices.ContainsFunc(writes, func(w string) bool { return strings.HasPrefix(word, w+"-") }) {
			return "changes or reveals what runs in a cloud"
		}
	}
	if a.contains("-destroy", "-auto-approve", "--force", "--yes", "--prod") {
		return "changes what runs in a cloud"
	}
	if slices.ContainsFunc(append(plain, a.list...), readWord) {
		return ""
	}
	return "does something in a cloud that may not only read"
}

func readWord(p string) bool {
	return slices.Contains(reads, p) || strings.HasPrefix(p, "list-") || strings.HasPrefix(p, "describe-") || strings.HasPrefix(p, "get-")
}

func kubernetes(a args) string {
	first := a.verb()
	for i := 0; i+1 < len(a.list) && strings.HasPrefix(a.list[i], "-"); i += 2 { // -n namespace, --context name
		if first = a.list[i+1]; i+2 < len(a.list) && !strings.HasPrefix(a.list[i+2], "-") {
			first = a.list[i+2]
		}
		if strings.Contains(a.list[i], "=") {
			first = a.list[i+1]
			i--
		}
	}
	secret := a.any("secret", "secrets") || a.contains("secret/", "secrets/")
	if readWord(first) && !secret && first != "init" && first != "build" || first == "repo" && a.has("list") || first == "config" && a.any("view", "get-contexts", "current-context") && !a.has("--raw") || first == "rollout" && a.any("status", "history") || a.has("--help") || first == "auth" && a.has("can-i") {
		return ""
	}
	return "changes or reveals what runs in a cluster"
}

// containers may build, list and run, without reaching the machine below.
func containers(a args) string {
	reach := []string{"--privileged", "--pid=host", "--net=host", "--network=host", "--ipc=host", "--userns=host", "--cap-add", "docker.sock", "--device", "seccomp=unconfined", "apparmor=unconfined", "--uts=host"}
	text := " " + strings.Join(a.list, " ") + " "
	switch {
	case a.contains(reach...), strings.Contains(text, " --pid host "), strings.Contains(text, " --network host "), strings.Contains(text, " --net host "):
		return "starts a container that reaches the machine"
	case a.any("push", "login", "logout", "prune", "destroy", "undefine", "swarm", "plugin", "trust", "copy") && !(a.name == "skopeo" && a.has("inspect")):
		return "publishes images, or removes what all projects share"
	case a.any("rm", "rmi", "kill", "stop") && (a.short("fv") || a.contains(unknown)) && !a.any("run"), a.any("volume") && a.any("rm", "remove"), a.any("network", "image", "context") && a.any("rm", "remove"), a.has("down") && (a.short("v") || a.contains("--volumes", "--rmi")), a.has("run") && a.has("-v") && outside(orDot(hostPart(a.value("-v")))):
		return "removes containers and their data, or reaches files outside of the folder"
	}
	if mount := a.value("--volume", "--mount", "-v"); mount != "" && (outside(hostPart(mount)) || strings.Contains(mount, "source=/") || strings.Contains(mount, "src=/")) && a.any("run", "create") {
		return "reaches files outside of the folder"
	}
	if at := slices.Index(a.list, "exec"); at >= 0 || a.has("run") {
		for i := range a.list {
			if shells[programName(a.list[i])] && i+2 < len(a.list) && a.list[i+1] == "-c" {
				return criticalScript(strings.ReplaceAll(a.list[i+2], unknown, "$x"), a.depth+1)
			}
			if a.list[i] == "rm" && i > 0 {
				return remove(args{name: "rm", list: a.list[i+1:]})
			}
		}
	}
	return ""
}

// hostPart is the path of the machine in what a container is given; of the folder itself, it is ".".
func hostPart(mount string) string {
	host, _, _ := strings.Cut(mount, ":")
	if strings.HasPrefix(host, unknown) || !strings.ContainsAny(host, "/~.") {
		return "."
	}
	return host
}

// hosting are programs for services such as GitHub: they may read.
func hosting(a args) string {
	plain := a.plain()
	if len(plain) > 1 && slices.Contains([]string{"list", "view", "status", "diff", "checks", "watch", "checkout", "ls", "download", "clone"}, plain[1]) && plain[0] != "secret" && plain[0] != "auth" || a.has("--version") || a.has("--help") || len(plain) > 0 && (plain[0] == "status" || plain[0] == "search") {
		return ""
	}
	return "publishes, changes or reveals what a service keeps"
}
