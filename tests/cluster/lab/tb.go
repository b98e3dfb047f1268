package lab

import (
	"fmt"
	"strings"
	"time"
)

// TB is what the lab needs of testing.TB, so that a benchmark program can use it as well.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Failed() bool
	Cleanup(func())
}

// pollInterval is how often a condition is looked at.
const pollInterval = 20 * time.Millisecond

// Wait polls until check says done, and logs what was waited for and how long it took. The state that
// check returns is what a failure shows.
func Wait(t TB, what string, timeout time.Duration, check func() (done bool, state string)) time.Duration {
	t.Helper()
	start := time.Now()
	for {
		done, state := check()
		took := time.Since(start)
		if done {
			t.Logf("waited %6.2f s for %s", took.Seconds(), what)
			return took
		}
		if took > timeout {
			t.Fatalf("waited %.1f s in vain for %s; last seen: %s", took.Seconds(), what, state)
		}
		time.Sleep(pollInterval)
	}
}

// Hold looks at a condition again and again for a duration and fails as soon as it does not hold.
func Hold(t TB, what string, duration, interval time.Duration, check func() error) {
	t.Helper()
	start := time.Now()
	polls := 0
	for ; time.Since(start) < duration; polls++ {
		if err := check(); err != nil {
			t.Fatalf("%s: did not hold after %.1f s: %v", what, time.Since(start).Seconds(), err)
		}
		time.Sleep(interval)
	}
	t.Logf("held   %6.2f s, %d polls: %s", time.Since(start).Seconds(), polls, what)
}

// Equal fails, without ending the test, when got is not want.
func Equal(t TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s:\n got  %s\n want %s", what, indent(g), indent(w))
	}
}

func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n      ") }
