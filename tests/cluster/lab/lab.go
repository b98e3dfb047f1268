package lab

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Options of a new lab.
type Options struct {
	Bin           string // folder with the programs that build.sh builds
	APIServerGate bool   // ResourceHealthStatus and ResourceHealthStatusMessage of the API server
	KubeletGate   bool   // and of the kubelet
}

// Lab is one cluster with one node. Its methods are for one goroutine, but for those of Client, Audit
// and of different drivers, which parallel tests may share.
type Lab struct {
	Dir    string
	Node   string
	Client kubernetes.Interface // as administrator
	Audit  *Audit

	Etcd      *Process
	APIServer *APIServer
	Kubelet   *Kubelet
	CRI       *CRI

	bin   string
	pki   pki
	ports map[string]int
	all   []*Process
	// agents counts those started, for the names of their files.
	agents int
}

// New brings a cluster up; its node is Ready when it returns. The TB's clean-up takes it down, shows the
// ends of all logs when the TB has failed, and then keeps the logs.
func New(t TB, options Options) *Lab {
	t.Helper()
	start := time.Now()
	dir, err := os.MkdirTemp("", "dra-health-lab-")
	if err != nil {
		t.Fatalf("%v", err)
	}
	l := &Lab{Dir: dir, Node: "lab-node", bin: options.Bin, ports: map[string]int{}}
	t.Cleanup(func() { l.takeDown(t) })
	for _, folder := range []string{"etcd", "pki", "kubelet", "log", "run", "record", "nothing"} {
		if err := os.Mkdir(l.path(folder), 0o755); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if l.pki, err = newPKI(l.path("pki")); err != nil {
		t.Fatalf("certificates: %v", err)
	}
	if err := l.choosePorts("etcd", "etcd-peer", "apiserver", "kubelet", "kubelet-health"); err != nil {
		t.Fatalf("ports: %v", err)
	}
	if err := l.writeCredentials(); err != nil {
		t.Fatalf("credentials: %v", err)
	}
	config := l.config(t, l.Kubeconfig(AdminUser))
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.WarningHandler = rest.NoWarnings{}
	if l.Client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatalf("%v", err)
	}
	l.startEtcd(t)
	l.newAPIServer(t, options.APIServerGate)
	if err := l.allow(context.Background()); err != nil {
		t.Fatalf("access rights: %v", err)
	}
	l.newCRI(t)
	l.newKubelet(t, options.KubeletGate)
	t.Logf("cluster up in %.1f s: API server %s, kubelet %s, folder %s", time.Since(start).Seconds(), l.URL(), l.Kubelet.Version, dir)
	return l
}

// URL of the API server; an IP literal, which its certificate names.
func (l *Lab) URL() string { return fmt.Sprintf("https://127.0.0.1:%d", l.ports["apiserver"]) }

// CA is the path of the certificate that the API server's is signed by.
func (l *Lab) CA() string { return l.pki.caCert }

func (l *Lab) path(elements ...string) string {
	return filepath.Join(append([]string{l.Dir}, elements...)...)
}

func (l *Lab) program(name string) string { return filepath.Join(l.bin, name) }

// choosePorts takes ports that are free now. They are chosen once, so that a part comes back under its
// old address.
func (l *Lab) choosePorts(names ...string) error {
	for _, name := range names {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer listener.Close() // after all are chosen, so that none is chosen twice
		l.ports[name] = listener.Addr().(*net.TCPAddr).Port
	}
	return nil
}

// run starts a process and adds it to those that the clean-up ends.
func (l *Lab) run(t TB, p *Process) {
	t.Helper()
	known := false
	for _, other := range l.all {
		known = known || other == p
	}
	if !known {
		l.all = append(l.all, p)
	}
	p.start(t)
}

// ready waits until check succeeds, and fails at once when the process ends by itself.
func (l *Lab) ready(t TB, p *Process, timeout time.Duration, check func() error) {
	t.Helper()
	Wait(t, p.name+" to be ready", timeout, func() (bool, string) {
		if err := p.Ended(); err != nil {
			t.Fatalf("%v\n%s", err, p.tail(20))
		}
		err := check()
		return err == nil, fmt.Sprint(err)
	})
}

// takeDown ends everything, the youngest first.
func (l *Lab) takeDown(t TB) {
	for i := len(l.all) - 1; i >= 0; i-- {
		p := l.all[i]
		if err := p.Ended(); err != nil {
			t.Errorf("%v", err)
		}
		if t.Failed() {
			t.Logf("--- end of %s\n%s", p.log, p.tail(15))
		}
		if p.name == "etcd" || p.name == "kube-apiserver" {
			p.Kill() // nothing of theirs is kept, and the API server waits for its watchers
		} else {
			_ = p.Stop()
		}
	}
	keep := l.path("log")
	if !t.Failed() {
		keep = ""
	}
	if err := removeExcept(l.Dir, keep); err != nil {
		t.Errorf("clean-up: %v", err)
	}
	if keep != "" {
		t.Logf("logs are kept in %s", keep)
	}
}

// removeExcept removes a folder, but for one folder in it when that is given.
func removeExcept(dir, keep string) error {
	if keep == "" {
		return os.RemoveAll(dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if path := filepath.Join(dir, entry.Name()); path != keep {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return nil
}
