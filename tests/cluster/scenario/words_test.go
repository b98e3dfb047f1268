package scenario

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// word is what was said of a device at a moment. Drivers number what they say in their messages, so that each word
// is found again wherever it went. The number is 0 where there is none.
type word struct {
	device string // driver/pool/device
	health string
	number int
	at     time.Time
}

func (w word) String() string {
	return fmt.Sprintf("%s %s %s #%d", w.at.Format("15:04:05.000"), w.device, w.health, w.number)
}

// numbered is the message of a word; the agent adds since when.
func numbered(number int) string { return fmt.Sprintf("event %d", number) }

var number = regexp.MustCompile(`^event (\d+)(?: \(since [-0-9T:Z]+\))?$`)

func numberIn(message string) int {
	if found := number.FindStringSubmatch(message); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

// publication is what one version of a pod says, or one patch sets; the condition is empty where a patch leaves it.
type publication struct {
	pod       string
	at        time.Time
	words     []word
	condition string
}

func wordsOf(entries []corev1.ResourceStatus, at time.Time) []word {
	var words []word
	for _, entry := range entries {
		for _, r := range entry.Resources {
			w := word{device: string(r.ResourceID), health: string(r.Health), at: at}
			if r.Message != nil {
				w.number = numberIn(*r.Message)
			}
			words = append(words, w)
		}
	}
	return words
}

// patched is what a JSON Patch of the agent sets.
func patched(t *testing.T, request lab.Request) publication {
	t.Helper()
	p := publication{pod: request.Pod, at: request.Received}
	var operations []struct {
		Op, Path string
		Value    json.RawMessage
	}
	err := json.Unmarshal([]byte(request.Body), &operations)
	for _, o := range operations {
		switch {
		case err != nil || o.Op == "test":
		case strings.HasSuffix(o.Path, "/allocatedResourcesStatus"):
			var entries []corev1.ResourceStatus
			if o.Op != "remove" {
				err = json.Unmarshal(o.Value, &entries)
			}
			p.words = append(p.words, wordsOf(entries, p.at)...)
		case strings.HasPrefix(o.Path, "/status/conditions/"):
			var condition corev1.PodCondition
			err = json.Unmarshal(o.Value, &condition)
			p.condition = string(condition.Status)
		default:
			err = fmt.Errorf("unexpected operation %s %s", o.Op, o.Path)
		}
	}
	if err != nil {
		t.Fatalf("patch of pod %s: %v in %s", request.Pod, err, request.Body)
	}
	return p
}

// publicationOf is what a version of a pod says.
func publicationOf(v lab.Version) publication {
	p := publication{pod: v.Pod.Name, at: v.At}
	for _, status := range v.Pod.Status.ContainerStatuses {
		p.words = append(p.words, wordsOf(status.AllocatedResourcesStatus, v.At)...)
	}
	if c := lab.AgentCondition(v.Pod); c != nil {
		p.condition = string(c.Status)
	}
	return p
}

// reported is what a driver has put on its streams, in order.
func reported(t *testing.T, driver *lab.Driver) []word {
	t.Helper()
	var words []word
	for _, sent := range driver.Sent(t) {
		for _, d := range sent.Devices {
			id := driver.Name + "/" + d.Pool + "/" + d.Device
			words = append(words, word{id, d.Health, numberIn(d.Message), sent.At})
		}
	}
	return words
}

// transition is a row of `cache transitions`, and a line of `cache export`.
type transition struct {
	Kind                                string
	At                                  time.Time
	Driver, Pool, Device                string
	From, To, Reason, Message, Endpoint string
}

func (t transition) device() string { return t.Driver + "/" + t.Pool + "/" + t.Device }

func (t transition) String() string {
	return fmt.Sprintf("%s %s %s -> %s %s %q", t.At.Format("15:04:05.000"), t.device(), t.From, t.To, t.Reason, t.Message)
}

// stored reads all transitions of a store.
func stored(t *testing.T, agent *lab.Agent, args ...string) []transition {
	t.Helper()
	var all []transition
	agent.Cache(t, "transitions", &all, append([]string{"--limit", "0"}, args...)...)
	return all
}

// exported reads the same from `cache export`.
func exported(t *testing.T, agent *lab.Agent) []transition {
	t.Helper()
	var all []transition
	for _, line := range agent.Export(t) {
		var record transition
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("cache export: %v in %s", err, line)
		}
		if record.Kind == "transition" {
			record.Kind = ""
			all = append(all, record)
		}
	}
	return all
}
