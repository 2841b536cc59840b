package workspace

// The places where a process may die while it writes or recovers; see internal/failpoint. Each is passed
// once for each file where a file is meant.
const (
	failIntentBefore  = "apply.intent.before"
	failIntentHalf    = "apply.intent.half" // the entry is written and has no name yet
	failIntentAfter   = "apply.intent.after"
	failFolderAfter   = "apply.folder.after"
	failStageBefore   = "apply.stage.before"
	failStageAfter    = "apply.stage.after"
	failBackupBefore  = "apply.backup.before"
	failBackupAfter   = "apply.backup.after"
	failStagedBefore  = "apply.staged.before"
	failStagedAfter   = "apply.staged.after"
	failRenameBefore  = "apply.rename.before"
	failRenameAfter   = "apply.rename.after"
	failCommitBefore  = "apply.commit.before"
	failCommitAfter   = "apply.commit.after"
	failClearBefore   = "apply.clear.before"
	failClearAfter    = "apply.clear.after"
	failRecordBefore  = "apply.record.before"
	failRecordAfter   = "apply.record.after"
	failForgetBefore  = "apply.forget.before"
	failForgetAfter   = "apply.forget.after"
	failBackBefore    = "recover.back.before" // a file is about to be put back
	failBackAfter     = "recover.back.after"
	failKeepBefore    = "recover.keep.before" // an old text is about to be kept aside
	failKeepAfter     = "recover.keep.after"
	failSettleBefore  = "recover.settle.before"
	failSettleAfter   = "recover.settle.after"
	failDamagedBefore = "recover.damaged.before"
	failDamagedAfter  = "recover.damaged.after"
)
