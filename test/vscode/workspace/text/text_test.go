package text

import "testing"

func TestShout(t *testing.T) {
	if got := Shout("hello"); got != "HELLO!" {
		t.Errorf("Shout = %q", got)
	}
}
