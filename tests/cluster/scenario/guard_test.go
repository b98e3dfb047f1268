package scenario

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"dra-health-agent.test/cluster/lab"
)

// testGuard checks the policy as a kubelet meets it, without waiting for a real one's ticks.
func testGuard(t *testing.T, l *lab.Lab) {
	policy := &admissionv1.MutatingAdmissionPolicy{}
	lab.Render(t, guardManifests).Typed(t, "MutatingAdmissionPolicy", policy)
	lab.Equal(t, "failure policy as shipped", *policy.Spec.FailurePolicy, admissionv1.Ignore)
	l.ApplyGuard(t, guardManifests)
	t.Run("pod of very many containers: entries put back", func(t *testing.T) {
		pod := crowdedPod(t, l, "")
		after, err := l.PatchStatus(t, l.Kubeconfig(l.KubeletUser()), pod.Name, types.MergePatchType, crowdPatch(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		lab.Equal(t, "entries", entries(after), entries(pod))
	})
	for i, c := range guardCases() {
		t.Run(c.name, func(t *testing.T) {
			pod := l.NewStatusPod(t, fmt.Sprintf("guard-%d", i), c.status, guardedPod)
			defer l.DeletePod(t, pod.Name)
			user := cmp.Or(c.user, l.KubeletUser())
			after, err := l.PatchStatus(t, l.Kubeconfig(user), pod.Name, types.MergePatchType, c.patch)
			if err != nil {
				t.Fatal(err)
			}
			lab.Equal(t, "entries", entries(after), c.want)
		})
	}
}

// guardCase is an update by a kubelet of a pod that the agent has written.
type guardCase struct {
	name   string
	status func(*corev1.PodStatus) // before
	patch  string                  // the kubelet's merge patch
	want   string                  // all entries after it
	user   string                  // instead of the kubelet
}

func guardCases() []guardCase {
	const (
		ours    = "side claim:gpu d/p/x Unhealthy ECC; main claim:gpu d/p/x Unhealthy ECC"
		sidecar = `,"initContainerStatuses":[{"name":"side"}]`
	)
	status := func(containers string) string {
		return `{"status":{"containerStatuses":[` + containers + `]` + sidecar + `}}`
	}
	theirs := func(name, id, health string) string {
		return fmt.Sprintf(`"allocatedResourcesStatus":[{"name":%q,"resources":[{"resourceID":%q,"health":%q}]}]`, name, id, health)
	}
	return []guardCase{
		{name: "entry missing: put back, in both lists", status: held,
			patch: status(`{"name":"main"},{"name":"other"}`), want: ours},
		{name: "entry different: put back", status: held,
			patch: status(`{"name":"main",` + theirs("claim:gpu", "d/p/x", "Healthy") + `},{"name":"other"}`), want: ours},
		{name: "containers in another order: found by name", status: held,
			patch: status(`{"name":"other"},{"name":"main"}`), want: ours},
		{name: "container without an entry of ours: the kubelet's passes", status: held,
			patch: status(`{"name":"main"},{"name":"other",` + theirs("claim:gpu", "theirs", "Unknown") + `}`),
			want:  ours + "; other claim:gpu theirs Unknown"},
		{name: "restarted container: entry kept", status: held,
			patch: status(`{"name":"main","restartCount":1},{"name":"other"}`), want: ours},
		{name: "failed pod: entry kept", status: held,
			patch: strings.Replace(status(`{"name":"main"},{"name":"other"}`), `{"status":{`, `{"status":{"phase":"Failed",`, 1), want: ours},
		{name: "device plugin entry: the kubelet's passes beside ours", status: heldWithPlugin,
			patch: status(`{"name":"main",` + theirs("example.com/nic", "d/p/x", "Unhealthy") + `}`),
			want:  ours + "; main example.com/nic d/p/x Unhealthy"},
		{name: "device plugin entry: the kubelet may remove it", status: heldWithPlugin,
			patch: status(`{"name":"main"}`), want: ours},
		{name: "entry of several devices: put back in order", status: heldTwice,
			patch: status(`{"name":"main",` + theirs("claim:gpu", "d/p/y", "Healthy") + `}`),
			want:  "side claim:gpu d/p/x Unhealthy ECC; main claim:gpu d/p/x Unhealthy ECC; main claim:gpu d/p/y Unknown"},
		{name: "container that is new: the kubelet's passes", status: held,
			patch: status(`{"name":"main"},{"name":"other"},{"name":"third",` + theirs("claim:gpu", "theirs", "Healthy") + `}`),
			want:  ours + "; third claim:gpu theirs Healthy"},
		{name: "entry of no devices: kept", status: heldEmpty,
			patch: status(`{"name":"main",` + theirs("claim:gpu", "theirs", "Healthy") + `}`), want: ""},
		{name: "pod without the condition: left alone", status: withoutCondition,
			patch: status(`{"name":"main"}`), want: ""},
		{name: "pod without entries of ours: the kubelet's pass", status: withoutEntries,
			patch: status(`{"name":"main",` + theirs("claim:gpu", "theirs", "Healthy") + `}`), want: "main claim:gpu theirs Healthy"},
		{name: "another user: left alone", status: held, user: lab.AdminUser,
			patch: status(`{"name":"main"}`), want: ""},
	}
}

// held is a status as the agent leaves it.
func held(status *corev1.PodStatus) {
	ours := []corev1.ResourceStatus{entry("claim:gpu", corev1.ResourceHealthStatusUnhealthy, "ECC")}
	status.Conditions = []corev1.PodCondition{{Type: lab.ConditionType, Status: corev1.ConditionFalse, Reason: "DeviceUnhealthy"}}
	status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", AllocatedResourcesStatus: ours}, {Name: "other"}}
	status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "side", AllocatedResourcesStatus: ours}}
}

func heldWithPlugin(status *corev1.PodStatus) {
	held(status)
	main := &status.ContainerStatuses[0]
	main.AllocatedResourcesStatus = append(main.AllocatedResourcesStatus[:1:1],
		entry("example.com/nic", corev1.ResourceHealthStatusHealthy, ""))
}

func heldTwice(status *corev1.PodStatus) {
	held(status)
	two := entry("claim:gpu", corev1.ResourceHealthStatusUnhealthy, "ECC")
	two.Resources = append(two.Resources, corev1.ResourceHealth{ResourceID: "d/p/y", Health: corev1.ResourceHealthStatusUnknown})
	status.ContainerStatuses[0].AllocatedResourcesStatus = []corev1.ResourceStatus{two}
}

func heldEmpty(status *corev1.PodStatus) {
	held(status)
	status.InitContainerStatuses = nil
	status.ContainerStatuses[0].AllocatedResourcesStatus = []corev1.ResourceStatus{{Name: "claim:gpu"}}
}

func withoutCondition(status *corev1.PodStatus) {
	held(status)
	status.Conditions = nil
}

func withoutEntries(status *corev1.PodStatus) {
	held(status)
	status.ContainerStatuses, status.InitContainerStatuses = nil, nil
}

func entry(name corev1.ResourceName, health corev1.ResourceHealthStatus, message string) corev1.ResourceStatus {
	device := corev1.ResourceHealth{ResourceID: "d/p/x", Health: health}
	if message != "" {
		device.Message = &message
	}
	return corev1.ResourceStatus{Name: name, Resources: []corev1.ResourceHealth{device}}
}

// guardedPod has two containers and a sidecar that use the claim gpu, and one device of a device plugin.
func guardedPod(spec *corev1.PodSpec) {
	use := corev1.ResourceClaim{Name: "gpu"}
	main, side := lab.Container("main", use), lab.Container("side", use)
	main.Resources.Limits = corev1.ResourceList{"example.com/nic": resource.MustParse("1")}
	main.Resources.Requests = main.Resources.Limits
	always := corev1.ContainerRestartPolicyAlways
	side.RestartPolicy = &always
	spec.InitContainers = []corev1.Container{side}
	spec.Containers = []corev1.Container{main, lab.Container("other", use)}
}

// entries lists all entries of a pod, those of device plugins too, in the order of the status.
func entries(pod *corev1.Pod) string {
	var lines []string
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, container := range list {
			for _, entry := range container.AllocatedResourcesStatus {
				lines = append(lines, lab.EntryLines(container.Name, entry)...)
			}
		}
	}
	return strings.Join(lines, "; ")
}
