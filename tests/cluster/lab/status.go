package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// NewStatusPod creates a pod of no node, so that no kubelet touches it, and gives it a status. Its
// container main uses the claim gpu. Delete it with DeletePod.
func (l *Lab) NewStatusPod(t TB, name string, set func(*corev1.PodStatus), edit ...func(*corev1.PodSpec)) *corev1.Pod {
	t.Helper()
	ctx, pods := context.Background(), l.Client.CoreV1().Pods(Namespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: podSpec(map[string]string{"gpu": "none"})}
	for _, e := range edit {
		e(&pod.Spec)
	}
	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err == nil {
		set(&pod.Status)
		pod, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("pod %s: %v", name, err)
	}
	return pod
}

// PatchStatus patches a pod's status with the credentials of a kubeconfig file.
func (l *Lab) PatchStatus(t TB, kubeconfig, pod string, kind types.PatchType, patch string) (*corev1.Pod, error) {
	t.Helper()
	client, err := kubernetes.NewForConfig(l.config(t, kubeconfig))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return client.CoreV1().Pods(Namespace).Patch(context.Background(), pod, kind, []byte(patch), metav1.PatchOptions{}, "status")
}

// TryStatus asks whether a patch of a pod's status would be accepted, without carrying it out.
func (l *Lab) TryStatus(t TB, kubeconfig, pod string, kind types.PatchType, patch string) error {
	t.Helper()
	client, err := kubernetes.NewForConfig(l.config(t, kubeconfig))
	if err != nil {
		t.Fatalf("%v", err)
	}
	options := metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}
	_, err = client.CoreV1().Pods(Namespace).Patch(context.Background(), pod, kind, []byte(patch), options, "status")
	return err
}

// config of a client whose requests never wait.
func (l *Lab) config(t TB, kubeconfig string) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatalf("%v", err)
	}
	config.QPS, config.Burst = -1, -1
	return config
}
