package api

// The commands about permissions.
const (
	Audit            = "forge.audit"
	ListPermissions  = "forge.permissions.list"
	ResetPermissions = "forge.permissions.reset"
)

// AuditArgs select decisions about tools of models.
type AuditArgs struct {
	Run string `json:"run,omitempty" doc:"only the decisions of this run"`
	InFolder
}

// AuditResult is the audit log of a folder, oldest row first.
type AuditResult struct {
	Rows   []AuditRow `json:"rows"`
	Broken string     `json:"broken,omitempty" doc:"which row was changed or removed; the rows before it are listed"`
}

// AuditRow is a decision about one call of a tool.
type AuditRow struct {
	Seq     int    `json:"seq" doc:"from 1"`
	Time    string `json:"time" doc:"RFC 3339, UTC"`
	Run     string `json:"run"`
	Agent   string `json:"agent"`
	Tool    string `json:"tool"`
	Call    string `json:"call" doc:"its arguments as JSON, without secrets; of a long one the beginning"`
	Digest  string `json:"digest" doc:"SHA-256 of the whole call"`
	Verdict string `json:"verdict" doc:"allow, ask or deny"`
	Layer   string `json:"layer" doc:"which layer decided"`
	Code    string `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Scope   string `json:"scope,omitempty" doc:"of the user's answer"`
	Prev    string `json:"prev" doc:"the hash of the row before; empty in the first"`
	Hash    string `json:"hash" doc:"SHA-256 of prev and the row"`
}

// PermissionsResult lists answers about tools of models that hold longer than one call, the newest last, and the rules of the user's settings.
type PermissionsResult struct {
	Permissions []Permission     `json:"permissions"`
	Rules       []PermissionRule `json:"rules" doc:"of the user's own settings"`
}

// PermissionRule is a rule about calls of tools.
type PermissionRule struct {
	Tool   string `json:"tool" doc:"the name of a tool, a pattern such as web.*, or a kind"`
	Match  string `json:"match,omitempty" doc:"the words of a command, or a path or address with * and **; empty is any call"`
	Answer string `json:"answer" doc:"allow, ask or deny"`
	Source string `json:"source" doc:"the file of settings with the rule"`
}

// Permission is an answer that holds for exactly the call that was shown.
type Permission struct {
	Tool    string `json:"tool"`
	Shown   string `json:"shown" doc:"the call"`
	Digest  string `json:"digest" doc:"SHA-256 of the tool, its arguments and the folder"`
	Scope   string `json:"scope" doc:"run or project; no for a refusal that is kept"`
	Run     string `json:"run" doc:"the run that asked"`
	Given   string `json:"given" doc:"RFC 3339, UTC"`
	Expires string `json:"expires" doc:"RFC 3339, UTC"`
}

// PermissionsResetArgs select answers.
type PermissionsResetArgs struct {
	Tool string `json:"tool,omitempty" doc:"only those about this tool"`
	InFolder
}

// PermissionsReset reports how many answers were forgotten.
type PermissionsReset struct {
	Forgotten int `json:"forgotten"`
}
