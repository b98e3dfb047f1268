package lab

import (
	"context"
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// The agent's account, as the manifests have it.
const (
	AccountNamespace = "dra-health-agent"
	AccountName      = "dra-health-agent"
	AccountUser      = "system:serviceaccount:" + AccountNamespace + ":" + AccountName
)

// PodToken returns a token of the agent's account that is bound to a pod of a node, as a kubelet asks for one. The
// pod does nothing but exist, and ends with the TB.
func (l *Lab) PodToken(t TB, node string) string {
	t.Helper()
	ctx, pods := context.Background(), l.Client.CoreV1().Pods(AccountNamespace)
	spec := podSpec(nil)
	spec.ServiceAccountName, spec.NodeName = AccountName, node
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "agent-"}, Spec: spec}
	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("the agent's pod: %v", err)
	}
	t.Cleanup(func() { _ = pods.Delete(ctx, pod.Name, *metav1.NewDeleteOptions(0)) })
	bound := &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}
	return l.Token(t, AccountNamespace, AccountName, bound)
}

// Token returns a token of a service account, bound to an object where one is given.
func (l *Lab) Token(t TB, namespace, account string, bound *authenticationv1.BoundObjectReference) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: bound}}
	answer, err := l.Client.CoreV1().ServiceAccounts(namespace).CreateToken(context.Background(), account, request, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("token of account %s: %v", account, err)
	}
	return answer.Status.Token
}

// NewAccount creates a service account in the namespace of the pods and binds it to a role of its own, or to an
// existing one where no rules are given. It returns the path of its kubeconfig file. It ends with the TB.
func (l *Lab) NewAccount(t TB, name, role string, rules ...rbacv1.PolicyRule) string {
	t.Helper()
	ctx, rbac, accounts := context.Background(), l.Client.RbacV1(), l.Client.CoreV1().ServiceAccounts(Namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := accounts.Create(ctx, account, metav1.CreateOptions{})
	if err == nil && len(rules) > 0 {
		_, err = rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role}, Rules: rules}, metav1.CreateOptions{})
		t.Cleanup(func() { _ = rbac.ClusterRoles().Delete(ctx, role, metav1.DeleteOptions{}) })
	}
	if err == nil {
		_, err = rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "account-" + name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: Namespace, Name: name}},
		}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatalf("account %s: %v", name, err)
	}
	t.Cleanup(func() {
		_ = rbac.ClusterRoleBindings().Delete(ctx, "account-"+name, metav1.DeleteOptions{})
		_ = accounts.Delete(ctx, name, metav1.DeleteOptions{})
	})
	return l.TokenKubeconfig(t, name, l.Token(t, Namespace, name, nil))
}

// TokenKubeconfig writes a kubeconfig file for a token and returns its path.
func (l *Lab) TokenKubeconfig(t TB, name, token string) string {
	t.Helper()
	path := l.path("pki", "token-"+name+".kubeconfig")
	if err := clientcmd.WriteToFile(l.kubeconfigFor(token), path); err != nil {
		t.Fatalf("%v", err)
	}
	return path
}

// Permission is one verb on one resource.
type Permission struct {
	Group, Resource, Verb string
}

func (p Permission) String() string {
	return strings.TrimSpace(p.Verb + " " + p.Resource + " " + p.Group)
}

// Permissions lists what rules permit, for the whole of each resource.
func Permissions(rules []rbacv1.PolicyRule) []Permission {
	var all []Permission
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all = append(all, Permission{group, resource, verb})
				}
			}
		}
	}
	return all
}

// Permit gives the agent's role these permissions instead of those it has, and waits until that is so.
func (l *Lab) Permit(t TB, permissions []Permission) {
	t.Helper()
	ctx, roles := context.Background(), l.Client.RbacV1().ClusterRoles()
	role, err := roles.Get(ctx, AccountName, metav1.GetOptions{})
	if err != nil {
		t.Fatalf("role: %v", err)
	}
	decided := map[Permission]bool{}
	for _, p := range Permissions(role.Rules) {
		decided[p] = false
	}
	role.Rules = nil
	for _, p := range permissions {
		decided[p] = true
		role.Rules = append(role.Rules, rbacv1.PolicyRule{
			APIGroups: []string{p.Group}, Resources: []string{p.Resource}, Verbs: []string{p.Verb}})
	}
	if _, err := roles.Update(ctx, role, metav1.UpdateOptions{}); err != nil {
		t.Fatalf("role: %v", err)
	}
	for p, allowed := range decided {
		Wait(t, fmt.Sprintf("%q to be allowed: %t", p, allowed), 10*time.Second, func() (bool, string) {
			return l.allowed(t, p) == allowed, fmt.Sprint(!allowed)
		})
	}
}

func (l *Lab) allowed(t TB, p Permission) bool {
	t.Helper()
	resource, subresource, _ := strings.Cut(p.Resource, "/")
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: AccountUser,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: Namespace, Group: p.Group, Resource: resource, Subresource: subresource, Verb: p.Verb},
	}}
	answer, err := l.Client.AuthorizationV1().SubjectAccessReviews().Create(context.Background(), review, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("access review: %v", err)
	}
	return answer.Status.Allowed
}
