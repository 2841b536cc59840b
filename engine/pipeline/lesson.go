package pipeline

// lessonKey is the kind and scope of the task, under which lessons of it are kept.
func (r *run) lessonKey() string { return string(r.task.Recipe) + ":" + r.task.Focus.Path }
