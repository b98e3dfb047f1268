package scenario

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/types"

	"dra-health-agent.test/cluster/lab"
)

// The permissions that are taken away.
var (
	getNodes   = lab.Permission{Resource: "nodes", Verb: "get"}
	listPods   = lab.Permission{Resource: "pods", Verb: "list"}
	watchPods  = lab.Permission{Resource: "pods", Verb: "watch"}
	getPods    = lab.Permission{Resource: "pods", Verb: "get"}
	patchPods  = lab.Permission{Resource: "pods/status", Verb: "patch"}
	readClaims = lab.Permission{Group: "resource.k8s.io", Resource: "resourceclaims", Verb: "get"}
)

// missingPermission: what the agent lacks, what it says, and what goes on.
type missingPermission struct {
	name    string
	without []lab.Permission
	unbound bool // the token is bound to no pod, so that the account policy refuses every patch
	says    []string
	goesOn  func(*deprived)
}

const saidNoWatch = "missing permission to list and watch pods: WATCH"

var missingPermissions = []missingPermission{
	{"nothing", nil, false, nil, (*deprived).publishes},
	{"get nodes", []lab.Permission{getNodes}, false, []string{"missing permission to get nodes"}, (*deprived).publishes},
	{"list pods", []lab.Permission{listPods}, false, []string{"missing permission to list and watch pods: LIST"}, (*deprived).stores},
	{"watch pods", []lab.Permission{watchPods}, false, []string{saidNoWatch}, (*deprived).publishesAfterRead},
	{"get and watch pods", []lab.Permission{getPods, watchPods}, false, []string{saidNoWatch, "missing permission to get pods"}, (*deprived).stores},
	{"patch pods/status", []lab.Permission{patchPods}, false, []string{"missing permission to patch pods/status"}, (*deprived).stores},
	{"get resourceclaims", []lab.Permission{readClaims}, false, []string{"missing permission to get resourceclaims"}, (*deprived).stores},
	{"a bound token", nil, true, []string{saidUnbound}, (*deprived).stores},
}

// testPermissions takes permissions from the agent's account, which otherwise has exactly those of the manifests. The
// agent names what it misses, once, and goes on with the rest. In the end it has used each permission, and asked for
// nothing else.
func testPermissions(t *testing.T, l *lab.Lab, program string, manifests lab.Manifests) {
	role := &rbacv1.ClusterRole{}
	manifests.Typed(t, "ClusterRole", role)
	all := lab.Permissions(role.Rules)
	t.Cleanup(func() { l.Permit(t, all) })
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true})
	kubeconfigs := map[bool]string{
		false: l.TokenKubeconfig(t, "bound", l.PodToken(t, l.Node)),
		true:  l.TokenKubeconfig(t, "unbound", l.Token(t, lab.AccountNamespace, lab.AccountName, nil)),
	}
	mark := l.Audit.Mark()
	for i, c := range missingPermissions {
		t.Run("without "+c.name, func(t *testing.T) {
			l.Permit(t, slices.DeleteFunc(slices.Clone(all), func(p lab.Permission) bool { return slices.Contains(c.without, p) }))
			pod := fmt.Sprintf("deprived-%d", i)
			s := &story{t: t, lab: l, recorder: recorder, driver: driver, pod: pod, claim: pod, start: l.Audit.Mark(),
				device: lab.Device{Pool: "pool", Device: fmt.Sprintf("gpu-%d", i), Timeout: 600}}
			s.createPod()
			d := &deprived{s, l.StartAgentAs(t, program, kubeconfigs[c.unbound]), c}
			waitStream(t, driver, "v1", 1)
			d.lives()
		})
	}
	asked, granted := map[string]bool{}, map[string]bool{}
	for _, request := range l.Audit.Since(t, mark).By(lab.AccountUser) {
		asked[request.Verb+" "+request.Resource] = true
	}
	for _, p := range all {
		granted[p.Verb+" "+p.Resource] = true
	}
	lab.Equal(t, "what the agent asked for, beside what it may", asked, granted)
}

// deprived is an agent that lacks something, and a pod whose device has not been reported yet.
type deprived struct {
	*story
	agent   *lab.Agent
	missing missingPermission
}

// lives: without a watch the agent knows the pod as it was at its start. It does not see that it has changed since,
// finds out when its first patch is refused, and reads it.
func (d *deprived) lives() {
	if slices.Contains(d.missing.without, watchPods) {
		d.hears(saidNoWatch)
		const change = `{"status":{"conditions":[{"type":"example.com/changed","status":"True"}]}}`
		_, err := d.lab.PatchStatus(d.t, d.lab.Kubeconfig(lab.AdminUser), d.pod, types.StrategicMergePatchType, change)
		if err != nil {
			d.t.Fatal(err)
		}
	}
	d.report("Unhealthy", "ECC error")
	d.missing.goesOn(d)
	for _, text := range d.missing.says {
		d.hears(text)
	}
	named := d.agent.Said("missing permission") + d.agent.Said(saidUnbound)
	lab.Equal(d.t, "times the agent named what it lacks", named, len(d.missing.says))
}

func (d *deprived) hears(text string) {
	d.t.Helper()
	lab.Wait(d.t, "the agent to say: "+text, patience, func() (bool, string) { return d.agent.Said(text) > 0, d.agent.Log() })
}

// publishes: the pod says what its driver reports.
func (d *deprived) publishes() { d.waitCondition(conditionUnhealthy) }

func (d *deprived) publishesAfterRead() {
	d.publishes()
	reads := d.requests(d.start).Verb("get").On("pods").Code(http.StatusOK)
	lab.Equal(d.t, "times that the agent read the pod", len(reads), 1)
}

// stores: the pod says nothing, but the drivers are heard and what they say is kept.
func (d *deprived) stores() {
	want := "{" + d.device.Device + " Unhealthy}"
	lab.Wait(d.t, "the report in the store", patience, func() (bool, string) {
		var devices []struct{ Device, Health string }
		d.agent.Cache(d.t, "devices", &devices)
		return strings.Contains(fmt.Sprint(devices), want), fmt.Sprint(devices)
	})
	lab.Equal(d.t, "condition", lab.Condition(d.lab.GetPod(d.t, d.pod)), "")
}
