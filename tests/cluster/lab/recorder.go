package lab

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Version is a pod as it was at a moment, the moment at which a watch told it.
type Version struct {
	At  time.Time
	Pod *corev1.Pod
}

// Recorder keeps every version of every pod that the API server has had: what happened between two polls
// is seen as well. After an interrupted watch it goes on with the state at its return.
type Recorder struct {
	mu       sync.Mutex
	versions map[string][]Version
}

// Record watches all pods until the TB ends.
func (l *Lab) Record(t TB) *Recorder {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{versions: map[string][]Version{}}
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			err := r.watch(ctx, l, func() { nonBlocking(started, nil) })
			nonBlocking(started, err)
			time.Sleep(pollInterval)
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("watching pods: %v", err)
	}
	t.Cleanup(func() { cancel(); <-ended })
	return r
}

func nonBlocking(c chan error, err error) {
	select {
	case c <- err:
	default:
	}
}

// watch lists, then watches until the watch ends.
func (r *Recorder) watch(ctx context.Context, l *Lab, listed func()) error {
	pods := l.Client.CoreV1().Pods(Namespace)
	list, err := pods.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		r.add(&list.Items[i])
	}
	watcher, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	listed()
	for event := range watcher.ResultChan() {
		if pod, ok := event.Object.(*corev1.Pod); ok {
			r.add(pod)
		}
	}
	return nil
}

func (r *Recorder) add(pod *corev1.Pod) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.versions[pod.Name]
	if len(known) == 0 || known[len(known)-1].Pod.ResourceVersion != pod.ResourceVersion {
		r.versions[pod.Name] = append(known, Version{now, pod})
	}
}

// Versions returns all versions of a pod so far, the oldest first.
func (r *Recorder) Versions(pod string) []Version {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Version(nil), r.versions[pod]...)
}

// Forget drops all versions but the newest of each pod.
func (r *Recorder) Forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for pod, versions := range r.versions {
		r.versions[pod] = versions[len(versions)-1:]
	}
}

// Latest is a pod's newest version; nil when there is none yet.
func (r *Recorder) Latest(pod string) *corev1.Pod {
	r.mu.Lock()
	defer r.mu.Unlock()
	if versions := r.versions[pod]; len(versions) > 0 {
		return versions[len(versions)-1].Pod
	}
	return nil
}

// History is what look saw in the versions of a pod, in order and without repetitions.
func (r *Recorder) History(pod string, look func(*corev1.Pod) string) []string {
	var seen []string
	for _, v := range r.Versions(pod) {
		if now := look(v.Pod); len(seen) == 0 || seen[len(seen)-1] != now {
			seen = append(seen, now)
		}
	}
	return seen
}

// First is when a version of the pod at or after a moment was first as wanted. The zero moment stands for
// now: only the newest version counts.
func (r *Recorder) First(pod string, since time.Time, wanted func(*corev1.Pod) bool) (time.Time, bool) {
	versions := r.Versions(pod)
	if since.IsZero() && len(versions) > 0 {
		versions = versions[len(versions)-1:]
	}
	for _, v := range versions {
		if !v.At.Before(since) && wanted(v.Pod) {
			return v.At, true
		}
	}
	return time.Time{}, false
}

// WaitFor waits until look sees what is wanted in the newest version of a pod.
func (r *Recorder) WaitFor(t TB, pod, what, want string, timeout time.Duration, look func(*corev1.Pod) string) time.Duration {
	t.Helper()
	return Wait(t, fmt.Sprintf("%s of pod %s to be %q", what, pod, want), timeout, func() (bool, string) {
		latest := r.Latest(pod)
		if latest == nil {
			return false, "no such pod"
		}
		now := look(latest)
		return now == want, fmt.Sprintf("%q", now)
	})
}
