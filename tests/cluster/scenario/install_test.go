package scenario

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dra-health-agent.test/cluster/lab"
)

// testInstall applies each of what users install and removes it again: nothing is refused, nothing is warned of,
// there is what was rendered and nothing else, and in the end nothing is left.
func testInstall(t *testing.T, l *lab.Lab) {
	for _, folder := range []string{baseManifests, withGuard, conditionOnly} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			manifests := lab.Render(t, folder)
			before := l.Everything(t)
			l.Apply(t, manifests)
			l.Apply(t, manifests) // as an update does
			lab.Equal(t, "objects added", less(l.Everything(t), before), strings.Join(manifests.Names(), "\n"))
			acceptsPods(t, l, manifests)
			l.Remove(t, manifests)
			lab.Equal(t, "objects left", less(l.Everything(t), before), "")
		})
	}
}

// less lists the lines of one list that are not in another.
func less(lines, others []string) string {
	rest := slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(others, line) })
	return strings.Join(rest, "\n")
}

// acceptsPods: a pod of the DaemonSet is accepted, and has the priority of a node's own.
func acceptsPods(t *testing.T, l *lab.Lab, manifests lab.Manifests) {
	t.Helper()
	daemons := &appsv1.DaemonSet{}
	manifests.Typed(t, "DaemonSet", daemons)
	pod := &corev1.Pod{ObjectMeta: daemons.Spec.Template.ObjectMeta, Spec: daemons.Spec.Template.Spec}
	pod.GenerateName = daemons.Name + "-"
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
	pod, err := l.Client.CoreV1().Pods(daemons.Namespace).Create(context.Background(), pod, options)
	if err != nil {
		t.Errorf("a pod of the DaemonSet: %v", err)
	} else if pod.Spec.Priority == nil || *pod.Spec.Priority < 2_000_000_000 {
		t.Errorf("priority %v", pod.Spec.Priority)
	}
}

// TestDaemonSet checks what the DaemonSet promises, without a cluster.
func TestDaemonSet(t *testing.T) {
	daemons := &appsv1.DaemonSet{}
	lab.Render(t, baseManifests).Typed(t, "DaemonSet", daemons)
	update := daemons.Spec.UpdateStrategy.RollingUpdate
	if update == nil || update.MaxSurge.IntValue() != 0 {
		t.Errorf("an update may run two agents on one store: %v", update)
	}
	spec := daemons.Spec.Template.Spec
	if spec.HostNetwork || spec.HostPID || spec.HostIPC {
		t.Error("a host namespace is shared")
	}
	paths := map[string]string{}
	for _, volume := range spec.Volumes {
		if volume.HostPath == nil {
			t.Fatalf("volume %s is no folder of the host", volume.Name)
		}
		paths[volume.Name] = volume.HostPath.Path
	}
	var writable []string
	for _, mount := range spec.Containers[0].VolumeMounts {
		lab.Equal(t, "path of "+mount.Name+" in the container", mount.MountPath, paths[mount.Name])
		if !mount.ReadOnly {
			writable = append(writable, mount.MountPath)
		}
	}
	lab.Equal(t, "writable folders", writable, []string{"/var/lib/dra-health-agent"})
}
