package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// auditPolicy keeps the bodies of patches of pod statuses, whoever sends them, so that nobody is slowed down
// more than others, and one line for every other request that tests may want to count.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  verbs: [patch]
  resources: [{group: "", resources: [pods/status]}]
- level: Metadata
  users: ["` + AgentUser + `", "` + AccountUser + `"]
- level: Metadata
  resources: [{group: "", resources: [pods, pods/status]}, {group: resource.k8s.io}]
- level: None
`

// APIServer is the lab's kube-apiserver.
type APIServer struct {
	*Process
	lab  *Lab
	gate bool
}

func (l *Lab) startEtcd(t TB) {
	t.Helper()
	client := fmt.Sprintf("http://127.0.0.1:%d", l.ports["etcd"])
	peer := fmt.Sprintf("http://127.0.0.1:%d", l.ports["etcd-peer"])
	l.Etcd = l.newProcess("etcd", func() *exec.Cmd {
		return exec.Command(l.program("etcd"), "--data-dir", l.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
			"--listen-client-urls", client, "--advertise-client-urls", client,
			"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer)
	})
	l.run(t, l.Etcd)
}

func (l *Lab) newAPIServer(t TB, gate bool) {
	t.Helper()
	policy, audit := l.path("pki", "audit.yaml"), l.path("log", "audit.jsonl")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	l.Audit = &Audit{path: audit}
	l.APIServer = &APIServer{lab: l}
	l.APIServer.Process = l.newProcess("kube-apiserver", func() *exec.Cmd {
		return exec.Command(l.program("kube-apiserver"),
			fmt.Sprintf("--etcd-servers=http://127.0.0.1:%d", l.ports["etcd"]),
			"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", l.ports["apiserver"]),
			"--tls-cert-file="+l.pki.serverCert, "--tls-private-key-file="+l.pki.serverKey,
			"--cert-dir="+l.path("pki"), "--token-auth-file="+l.path("pki", "tokens.csv"),
			"--service-account-issuer=https://lab", "--service-account-key-file="+l.pki.accountKey,
			"--service-account-signing-key-file="+l.pki.accountKey, "--service-cluster-ip-range=10.0.0.0/24",
			"--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount",
			"--feature-gates="+gates(l.APIServer.gate),
			"--audit-policy-file="+policy, "--audit-log-path="+audit, "--audit-log-mode=blocking", "--audit-log-maxsize=10000")
	})
	l.APIServer.Start(t, gate)
}

// Start runs the API server with the gates for health on or off, and waits until it serves pods.
func (s *APIServer) Start(t TB, gate bool) {
	t.Helper()
	s.gate = gate
	s.lab.run(t, s.Process)
	s.lab.ready(t, s.Process, 60*time.Second, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		ready, err := s.lab.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err != nil {
			return fmt.Errorf("%w %s", err, strings.ReplaceAll(string(ready), "\n", " "))
		}
		_, err = s.lab.Client.CoreV1().Namespaces().Get(ctx, Namespace, metav1.GetOptions{})
		return err
	})
}

// Restart changes the gates, or only restarts.
func (s *APIServer) Restart(t TB, gate bool) {
	t.Helper()
	s.Kill() // asked nicely it would wait for its watchers for a minute
	s.Start(t, gate)
}

func gates(on bool) string {
	return fmt.Sprintf("%s=%t,%s=%t", GateHealth, on, GateMessage, on)
}
