package scenario

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"

	"dra-health-agent.test/cluster/lab"
)

// testAccountPolicy tries what the agent's account and others may write, once without the policies and once with
// them: each patch is one that the API server accepts, so that only a policy can refuse it.
func testAccountPolicy(t *testing.T, l *lab.Lab) {
	base := lab.Render(t, baseManifests)
	policies := append(base.Kind("ValidatingAdmissionPolicy"), base.Kind("ValidatingAdmissionPolicyBinding")...)
	account := base.Without("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "DaemonSet")
	l.Apply(t, account)
	defer l.Remove(t, account)
	writers := newWriters(t, l)
	for _, pod := range []struct {
		name, node string
		status     func(*corev1.PodStatus)
	}{
		{"mine", "worker-1", writtenBefore}, {"elsewhere", "worker-2", writtenBefore}, {"nowhere", "", writtenBefore},
		{"new", "worker-1", func(*corev1.PodStatus) {}},
	} {
		l.NewStatusPod(t, pod.name, pod.status, guardedPod, func(spec *corev1.PodSpec) { spec.NodeName = pod.node })
		defer l.DeletePod(t, pod.name)
	}

	crowded := crowdedPod(t, l, "worker-1")
	for _, c := range accountCases {
		if err := c.try(t, l, writers); err != nil {
			t.Errorf("%s: refused without the policies: %v", c.name, err)
		}
	}
	l.Apply(t, policies)
	defer l.Remove(t, policies)
	for _, probe := range []string{"another node", "condition added by another account"} {
		waitRefused(t, l, writers, probe)
	}
	t.Run("pod of very many containers", func(t *testing.T) {
		if err := l.TryStatus(t, writers["agent"], crowded.Name, types.MergePatchType, crowdPatch(t, "Unhealthy")); err != nil {
			t.Error(err)
		}
	})
	for _, c := range accountCases {
		t.Run(c.name, func(t *testing.T) {
			err := c.try(t, l, writers)
			if c.refusal == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal)) {
				t.Errorf("not refused with %q: %v", c.refusal, err)
			}
		})
	}
}

// newWriters makes everybody who writes, by name: their kubeconfig files.
func newWriters(t *testing.T, l *lab.Lab) map[string]string {
	t.Helper()
	status := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods", "pods/status"}, Verbs: []string{"*"}}
	return map[string]string{
		"agent":   l.TokenKubeconfig(t, "agent", l.PodToken(t, "worker-1")),
		"unbound": l.TokenKubeconfig(t, "unbound", l.Token(t, lab.AccountNamespace, lab.AccountName, nil)),
		"node":    l.Kubeconfig(l.KubeletUser()),
		"admin":   l.Kubeconfig(lab.AdminUser),
		"owner":   l.NewAccount(t, "owner", "cluster-admin"),
		"other":   l.NewAccount(t, "other", "other", status),
		// The agent's name in another namespace.
		"double": l.NewAccount(t, lab.AccountName, "other"),
	}
}

// waitRefused waits until the API server has taken a new policy into account.
func waitRefused(t *testing.T, l *lab.Lab, writers map[string]string, name string) {
	t.Helper()
	for _, c := range accountCases {
		if c.name == name {
			lab.Wait(t, "a policy to refuse: "+name, patience, func() (bool, string) { return c.try(t, l, writers) != nil, "accepted" })
			return
		}
	}
	t.Fatalf("no case %q", name)
}

func (c accountCase) try(t *testing.T, l *lab.Lab, writers map[string]string) error {
	t.Helper()
	return l.TryStatus(t, writers[c.writer], c.pod, types.JSONPatchType, "["+c.patch+"]")
}

// writtenBefore is a status as the agent has left it, with what others write beside it.
func writtenBefore(status *corev1.PodStatus) {
	heldWithPlugin(status)
	other := corev1.PodCondition{Type: "example.com/other", Status: corev1.ConditionTrue}
	status.Conditions = append([]corev1.PodCondition{other}, status.Conditions...)
}
