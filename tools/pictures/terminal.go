package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// patience is how long a step may wait.
const patience = 30 * time.Second

// terminal is a tmux of its own with one window.
type terminal struct{ socket string }

func (t terminal) tmux(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket, "-f", os.DevNull}, args...)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), err
}

// draw plays the scene in a folder of its own, and writes its picture.
func (s scene) draw(ctx context.Context, root, folder, forge string) error {
	env, stop, err := s.prepare(ctx, root, folder, forge)
	if err != nil {
		return err
	}
	defer stop()
	t := terminal{filepath.Join(folder, "tmux")}
	begin := []string{"new-session", "-d", "-x", strconv.Itoa(s.columns), "-y", strconv.Itoa(s.rows), "-c", filepath.Join(folder, "greet")}
	for _, variable := range env {
		begin = append(begin, "-e", variable)
	}
	set := []string{";", "set", "-g", "status", "off", ";", "set", "-g", "remain-on-exit", "on", ";", "set", "-g", "default-terminal", "tmux-256color", ";", "set", "-s", "escape-time", "0"}
	if _, err := t.tmux(ctx, append(append(begin, "sh"), set...)...); err != nil {
		return err
	}
	defer func() { _, _ = t.tmux(context.WithoutCancel(ctx), "kill-server") }()
	script := filepath.Join(folder, "command.sh") // tmux would take PATH from here
	if err := os.WriteFile(script, []byte("PATH=${FORGE%/*}:$PATH\n"+s.command), 0o600); err != nil {
		return err
	}
	if _, err := t.tmux(ctx, "respawn-pane", "-k", "-c", filepath.Join(folder, "greet"), "TERM=tmux-256color COLORTERM=truecolor bash "+script); err != nil {
		return err
	}
	for _, step := range s.steps {
		if err := t.play(ctx, step); err != nil {
			return err
		}
	}
	if err := t.still(ctx); err != nil {
		return err
	}
	cells, err := t.tmux(ctx, "capture-pane", "-e", "-N", "-p")
	if err != nil {
		return err
	}
	return picture(ctx, s.page(cells), s, folder, filepath.Join(root, "docs", "images", s.name+".png"))
}

// prepare makes the sample folder and the home folder of the editor, and starts the model. It returns the variables of the editor.
func (s scene) prepare(ctx context.Context, root, folder, forge string) (env []string, stop func(), err error) {
	data := filepath.Join(root, "test", "nvim", "testdata")
	archive, err := txtar.ParseFile(filepath.Join(data, "chain.txtar"))
	if err != nil {
		return nil, nil, err
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[filepath.Join("greet", f.Name)] = string(f.Data)
	}
	for name, text := range s.files {
		files[filepath.Join("home", name)] = text
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return nil, nil, err
		}
	}
	url, stop, err := model(ctx, forge, filepath.Join(data, "chain.yaml"))
	if err != nil {
		return nil, nil, err
	}
	home := filepath.Join(folder, "home")
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	return []string{
		"ROOT=" + root, "FORGE=" + forge, "LC_ALL=C.UTF-8", "GOCACHE=" + strings.TrimSpace(string(cache)),
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CACHE_HOME=" + home,
		"FORGE_HOME=" + filepath.Join(home, "forge"), "FORGE_BASE_URL=" + url, "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1",
	}, stop, err
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+[\w/]*`)

// model starts a scripted model, and returns its address.
func model(ctx context.Context, forge, script string) (url string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, forge, "dev", "model", "--script", script)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return "", nil, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url := address.FindString(lines.Text()); url != "" {
			return url, func() { cancel(); _ = cmd.Wait() }, nil
		}
	}
	cancel()
	return "", nil, errors.New("the scripted model printed no address")
}

// play types the keys of a step once its text is on the screen.
func (t terminal) play(ctx context.Context, s step) error {
	for end := time.Now().Add(patience); ; pause(ctx) {
		screen, err := t.tmux(ctx, "capture-pane", "-p")
		if err != nil {
			return err
		}
		if strings.Contains(screen, s.sees) {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("%q did not come:\n%s", s.sees, screen)
		}
	}
	if err := t.still(ctx); err != nil {
		return err
	}
	for _, key := range s.keys {
		if _, err := t.tmux(ctx, "send-keys", key); err != nil {
			return err
		}
		if err := t.still(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pause waits a little, or until ctx ends.
func pause(ctx context.Context) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
}

// still waits until the screen stays as it is: an editor that still draws may lose keys.
func (t terminal) still(ctx context.Context) error {
	const looks = 6
	last, same := "", 0
	for end := time.Now().Add(patience); same < looks && time.Now().Before(end); pause(ctx) {
		screen, err := t.tmux(ctx, "capture-pane", "-e", "-p")
		if err != nil {
			return err
		}
		if same++; screen != last {
			last, same = screen, 0
		}
	}
	return ctx.Err()
}
