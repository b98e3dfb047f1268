package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

// reporter is the lab.TB of a program: it logs to standard error and ends the run at a failure.
type reporter struct {
	mu       sync.Mutex
	failed   bool
	cleanups []func()
}

func (r *reporter) Helper() {}

func (r *reporter) Logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func (r *reporter) Errorf(format string, args ...any) {
	r.Logf("FAILED: "+format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = true
}

func (r *reporter) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *reporter) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *reporter) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

// guarded runs f and then the clean-ups, the last first, and says whether nothing failed.
func (r *reporter) guarded(f func()) bool {
	r.inGoroutine(f)
	for len(r.cleanups) > 0 {
		last := r.cleanups[len(r.cleanups)-1]
		r.cleanups = r.cleanups[:len(r.cleanups)-1]
		r.inGoroutine(last)
	}
	return !r.Failed()
}

// inGoroutine lets Fatalf end f and nothing else.
func (r *reporter) inGoroutine(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
