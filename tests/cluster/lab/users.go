package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The user names under which requests stand in the audit log.
const (
	AdminUser  = "admin"
	DriverUser = "driver"
	AgentUser  = "dra-health-agent"
)

// AgentToken is what the agent's kubeconfig has.
const AgentToken = "agent-token"

// KubeletUser is the kubelet's name.
func (l *Lab) KubeletUser() string { return "system:node:" + l.Node }

// users lists each account with its token and group. Drivers act as cluster administrators: this lab
// tests health, not them.
func (l *Lab) users() [][3]string {
	return [][3]string{
		{AdminUser, "admin-token", "system:masters"},
		{DriverUser, "driver-token", "system:masters"},
		{l.KubeletUser(), "kubelet-token", "system:nodes"},
		{AgentUser, AgentToken, "dra-health-agents"},
	}
}

// writeCredentials writes the API server's token file and one kubeconfig for each user.
func (l *Lab) writeCredentials() error {
	var tokens strings.Builder
	for _, u := range l.users() {
		fmt.Fprintf(&tokens, "%s,%s,%s-uid,%q\n", u[1], u[0], u[0], u[2])
		if err := clientcmd.WriteToFile(l.kubeconfigFor(u[1]), l.Kubeconfig(u[0])); err != nil {
			return err
		}
	}
	return os.WriteFile(l.path("pki", "tokens.csv"), []byte(tokens.String()), 0o600)
}

// Kubeconfig is the path of a user's kubeconfig file.
func (l *Lab) Kubeconfig(user string) string {
	return filepath.Join(l.Dir, "pki", strings.ReplaceAll(user, ":", "-")+".kubeconfig")
}

func (l *Lab) kubeconfigFor(token string) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"lab": {Server: l.URL(), CertificateAuthority: l.pki.caCert}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"user": {Token: token}},
		Contexts:       map[string]*clientcmdapi.Context{"lab": {Cluster: "lab", AuthInfo: "user"}},
		CurrentContext: "lab",
	}
}

// agentRules is exactly what the agent needs.
var agentRules = []rbacv1.PolicyRule{
	{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get"}},
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch"}},
	{APIGroups: []string{""}, Resources: []string{"pods/status"}, Verbs: []string{"patch"}},
	{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims"}, Verbs: []string{"get"}},
}

// allow gives the agent its rights, and the kubelet all: the node authorizer is not what is tested.
func (l *Lab) allow(ctx context.Context) error {
	rbac := l.Client.RbacV1()
	const agentRole = "lab-" + AgentUser // the manifests have a role of the agent's name
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: agentRole}, Rules: agentRules}
	if _, err := rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		return err
	}
	for user, role := range map[string]string{AgentUser: agentRole, l.KubeletUser(): "cluster-admin"} {
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "lab-" + strings.ReplaceAll(user, ":", "-")},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: user}},
		}
		if _, err := rbac.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}
