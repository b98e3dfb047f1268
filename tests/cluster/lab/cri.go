package lab

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"time"
)

// CRI is the container runtime whose containers only pretend to run. It forgets them when it ends.
type CRI struct {
	*Process
	endpoint string
	control  control
}

func (l *Lab) newCRI(t TB) {
	t.Helper()
	socket, controlSocket := l.path("run", "cri.sock"), l.path("run", "cri-control.sock")
	l.CRI = &CRI{endpoint: socket, control: newControl(controlSocket)}
	l.CRI.Process = l.newProcess("fakecri", func() *exec.Cmd {
		return exec.Command(l.program("fakecri"), "--endpoint", "unix://"+socket, "--control", controlSocket)
	})
	l.run(t, l.CRI.Process)
	l.ready(t, l.CRI.Process, 10*time.Second, func() error {
		_, err := os.Stat(controlSocket)
		return err
	})
}

// Exit lets a running container end with an exit code. The kubelet notices within a second or so.
func (c *CRI) Exit(t TB, pod, container string, code int) {
	t.Helper()
	query := url.Values{"pod": {pod}, "container": {container}, "code": {fmt.Sprint(code)}}
	var ended int
	if err := c.control.request(http.MethodPost, "/exit?"+query.Encode(), nil, &ended); err != nil || ended == 0 {
		t.Fatalf("ending container %s of pod %s: %d ended, %v", container, pod, ended, err)
	}
}
