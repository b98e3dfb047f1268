package lab

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Process is one program of the lab. Start it as often as you like; its log goes on in one file.
type Process struct {
	name    string
	log     string
	grace   time.Duration // between SIGTERM and SIGKILL
	command func() *exec.Cmd

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{}
	status error // of the last run, once it has ended
}

// newProcess describes a program; command is called for every start.
func (l *Lab) newProcess(name string, command func() *exec.Cmd) *Process {
	return &Process{name: name, log: filepath.Join(l.Dir, "log", name+".log"), grace: 10 * time.Second, command: command}
}

// start runs the program. The kernel kills it should the test program die, unless it is to send another signal.
func (p *Process) start(t TB) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	file, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	defer file.Close()
	cmd := p.command()
	cmd.Stdout, cmd.Stderr = file, file
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	if cmd.SysProcAttr.Pdeathsig == 0 {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", p.name, err)
	}
	p.cmd, p.ended = cmd, make(chan struct{})
	go func(ended chan struct{}) {
		err := cmd.Wait()
		p.mu.Lock()
		p.status = err
		p.mu.Unlock()
		close(ended)
	}(p.ended)
}

// Stop asks the program to end, kills it when it does not, and returns how it ended.
func (p *Process) Stop() error { return p.end(syscall.SIGTERM) }

// Kill ends the program as a crash would.
func (p *Process) Kill() { _ = p.end(syscall.SIGKILL) }

func (p *Process) end(signal syscall.Signal) error {
	p.mu.Lock()
	cmd, ended := p.cmd, p.ended
	p.cmd = nil
	p.mu.Unlock()
	if cmd == nil {
		return nil
	}
	_ = cmd.Process.Signal(signal)
	select {
	case <-ended:
	case <-time.After(p.grace):
		_ = cmd.Process.Kill()
		<-ended
		return fmt.Errorf("%s: still there %v after SIGTERM", p.name, p.grace)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Ended says how the program ended by itself, or nil while it runs or was stopped.
func (p *Process) Ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return nil
	}
	select {
	case <-p.ended:
		return errors.Join(fmt.Errorf("%s ended by itself", p.name), p.status)
	default:
		return nil
	}
}

// PID of the running program, 0 when it does not run.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Log returns everything the program has written so far, over all its runs.
func (p *Process) Log() string {
	text, _ := os.ReadFile(p.log)
	return string(text)
}

// tail returns the last lines of the log.
func (p *Process) tail(lines int) string {
	text, _ := os.ReadFile(p.log)
	all := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-lines):], []byte("\n")))
}
