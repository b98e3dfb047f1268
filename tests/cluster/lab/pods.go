package lab

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Namespace of all pods and claims.
const Namespace = "default"

// Allocation gives a device to a claim's request.
type Allocation struct {
	Request, Driver, Pool, Device string
}

// NewClaim creates a ResourceClaim and allocates it: there is no scheduler. It ends with the TB.
func (l *Lab) NewClaim(t TB, name string, allocations ...Allocation) {
	t.Helper()
	ctx, claims := context.Background(), l.Client.ResourceV1().ResourceClaims(Namespace)
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	allocation := &resourceapi.AllocationResult{}
	requested := map[string]bool{}
	for _, a := range allocations {
		if !requested[a.Request] {
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{
				Name:    a.Request,
				Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "lab"},
			})
		}
		requested[a.Request] = true
		allocation.Devices.Results = append(allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: a.Request, Driver: a.Driver, Pool: a.Pool, Device: a.Device,
		})
	}
	claim, err := claims.Create(ctx, claim, metav1.CreateOptions{})
	if err == nil {
		claim.Status.Allocation = allocation
		_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("claim %s: %v", name, err)
	}
	t.Cleanup(func() { _ = claims.Delete(ctx, name, metav1.DeleteOptions{}) })
}

// ReleaseClaim takes a claim's devices from it and from its pods, as a cluster does when they have ended.
func (l *Lab) ReleaseClaim(t TB, name string) {
	t.Helper()
	ctx, claims := context.Background(), l.Client.ResourceV1().ResourceClaims(Namespace)
	claim, err := claims.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		claim.Status = resourceapi.ResourceClaimStatus{}
		_, err = claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("releasing claim %s: %v", name, err)
	}
}

// NewPod creates a pod on the lab's node that uses claims, given as pod claim name and ResourceClaim
// name. It has one container, main, which uses them whole, unless edit says otherwise. It ends with the TB.
func (l *Lab) NewPod(t TB, name string, claims map[string]string, edit ...func(*corev1.PodSpec)) *corev1.Pod {
	t.Helper()
	spec := podSpec(claims)
	for _, e := range edit {
		e(&spec)
	}
	pods := l.Client.CoreV1().Pods(Namespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
	pod, err := pods.Create(context.Background(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("pod %s: %v", name, err)
	}
	t.Cleanup(func() { l.DeletePod(t, name) })
	if err := l.place(pod, claims); err != nil {
		t.Fatalf("pod %s: %v", name, err)
	}
	return pod
}

func podSpec(claims map[string]string) corev1.PodSpec {
	no, grace := false, int64(1)
	spec := corev1.PodSpec{
		AutomountServiceAccountToken:  &no,
		EnableServiceLinks:            &no,
		TerminationGracePeriodSeconds: &grace,
		HostNetwork:                   true,
		Tolerations:                   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		Containers:                    []corev1.Container{Container("main")},
	}
	for podClaim, claim := range claims {
		spec.ResourceClaims = append(spec.ResourceClaims, corev1.PodResourceClaim{Name: podClaim, ResourceClaimName: &claim})
		use := &spec.Containers[0].Resources
		use.Claims = append(use.Claims, corev1.ResourceClaim{Name: podClaim})
	}
	return spec
}

// Container makes a container of the image there is, with the claims it uses.
func Container(name string, uses ...corev1.ResourceClaim) corev1.Container {
	return corev1.Container{
		Name: name, Image: "fake/image:1", ImagePullPolicy: corev1.PullIfNotPresent,
		Resources: corev1.ResourceRequirements{Claims: uses},
	}
}

// place does a scheduler's work. The binding comes last: a kubelet that sees the pod before its claims
// are reserved for it refuses it, and tries again only after a minute.
func (l *Lab) place(pod *corev1.Pod, used map[string]string) error {
	ctx, claims := context.Background(), l.Client.ResourceV1().ResourceClaims(Namespace)
	for _, name := range used {
		claim, err := claims.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor,
			resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		if _, err := claims.UpdateStatus(ctx, claim, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: l.Node}}
	return l.Client.CoreV1().Pods(Namespace).Bind(ctx, binding, metav1.CreateOptions{})
}

// GetPod reads a pod from the API server.
func (l *Lab) GetPod(t TB, name string) *corev1.Pod {
	t.Helper()
	pod, err := l.Client.CoreV1().Pods(Namespace).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("pod %s: %v", name, err)
	}
	return pod
}

// WaitRunning waits until all containers of a pod run.
func (l *Lab) WaitRunning(t TB, name string) {
	t.Helper()
	Wait(t, "pod "+name+" to run", 60*time.Second, func() (bool, string) {
		pod := l.GetPod(t, name)
		running := pod.Status.Phase == corev1.PodRunning
		for _, s := range pod.Status.ContainerStatuses {
			running = running && s.State.Running != nil
		}
		return running, fmt.Sprintf("%s %v", pod.Status.Phase, pod.Status.ContainerStatuses)
	})
}

// DeletePod deletes a pod, if it is still there, and waits until the kubelet has let it go; where no kubelet has it,
// by force.
func (l *Lab) DeletePod(t TB, name string) {
	t.Helper()
	ctx, pods := context.Background(), l.Client.CoreV1().Pods(Namespace)
	options := metav1.DeleteOptions{}
	pod, err := pods.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		if l.Kubelet.PID() == 0 || pod.Spec.NodeName != l.Node {
			options = *metav1.NewDeleteOptions(0)
		}
		err = pods.Delete(ctx, name, options)
	}
	for deadline := time.Now().Add(30 * time.Second); err == nil; _, err = pods.Get(ctx, name, metav1.GetOptions{}) {
		if time.Now().After(deadline) {
			err = pods.Delete(ctx, name, *metav1.NewDeleteOptions(0))
		}
		time.Sleep(pollInterval)
	}
	if !apierrors.IsNotFound(err) {
		t.Errorf("deleting pod %s: %v", name, err)
	}
}
