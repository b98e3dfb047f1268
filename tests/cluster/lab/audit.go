package lab

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Audit reads the API server's audit log.
type Audit struct {
	path string
}

// Request is one request that the API server has answered, or a watch that it has begun.
type Request struct {
	ID       string
	User     string
	Verb     string
	Resource string // with the subresource: pods/status
	Pod      string // the object's name
	Code     int
	Received time.Time
	Answered time.Time
	Body     string // of patches of a pod's status
}

// Requests is a selection of requests in the order in which they were answered.
type Requests []Request

// auditEvent is the part of an audit.k8s.io/v1 Event that is used here.
type auditEvent struct {
	AuditID string `json:"auditID"`
	Stage   string `json:"stage"`
	Verb    string `json:"verb"`
	User    struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	RequestObject            json.RawMessage `json:"requestObject"`
	RequestReceivedTimestamp time.Time       `json:"requestReceivedTimestamp"`
	StageTimestamp           time.Time       `json:"stageTimestamp"`
}

// Mark is a moment in the log, for Since.
type Mark struct {
	offset int64
	at     time.Time
}

// Mark is now. A request is logged shortly after its effect is seen, so the moment counts, not the end of the
// file, which only saves reading it from the start.
func (a *Audit) Mark() Mark {
	mark := Mark{at: time.Now()}
	if info, err := os.Stat(a.path); err == nil {
		mark.offset = info.Size()
	}
	return mark
}

// Since returns the requests that the API server received after a mark. A watch counts once, when it begins.
func (a *Audit) Since(t TB, mark Mark) Requests {
	t.Helper()
	file, err := os.Open(a.path)
	if err != nil {
		t.Fatalf("audit log: %v", err)
	}
	defer file.Close()
	if _, err := file.Seek(mark.offset, 0); err != nil {
		t.Fatalf("audit log: %v", err)
	}
	var requests Requests
	seen := map[string]bool{}
	reader := bufio.NewReaderSize(file, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return requests // a last line without an end is still being written
		}
		var event auditEvent
		if err := json.Unmarshal(bytes.TrimSpace(line), &event); err != nil {
			t.Fatalf("audit log: %v in %s", err, line)
		}
		if seen[event.AuditID] || event.RequestReceivedTimestamp.Before(mark.at) {
			continue
		}
		seen[event.AuditID] = true
		requests = append(requests, event.request())
	}
}

func (e auditEvent) request() Request {
	resource := e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		resource += "/" + e.ObjectRef.Subresource
	}
	return Request{
		ID: e.AuditID, User: e.User.Username, Verb: e.Verb, Resource: resource, Pod: e.ObjectRef.Name,
		Code: e.ResponseStatus.Code, Received: e.RequestReceivedTimestamp, Answered: e.StageTimestamp,
		Body: string(e.RequestObject),
	}
}

// By selects the requests of one user.
func (r Requests) By(user string) Requests {
	return r.where(func(q Request) bool { return q.User == user })
}

// Verb selects by verb: get, list, watch, patch.
func (r Requests) Verb(verb string) Requests {
	return r.where(func(q Request) bool { return q.Verb == verb })
}

// Not selects all but one verb.
func (r Requests) Not(verb string) Requests {
	return r.where(func(q Request) bool { return q.Verb != verb })
}

// On selects by resource, such as pods or pods/status.
func (r Requests) On(resource string) Requests {
	return r.where(func(q Request) bool { return q.Resource == resource })
}

// For selects by the object's name.
func (r Requests) For(name string) Requests {
	return r.where(func(q Request) bool { return q.Pod == name })
}

// Code selects by the status of the answer.
func (r Requests) Code(code int) Requests {
	return r.where(func(q Request) bool { return q.Code == code })
}

// Containing selects by a part of the body.
func (r Requests) Containing(text string) Requests {
	return r.where(func(q Request) bool { return strings.Contains(q.Body, text) })
}

func (r Requests) where(keep func(Request) bool) Requests {
	var kept Requests
	for _, q := range r {
		if keep(q) {
			kept = append(kept, q)
		}
	}
	return kept
}

// String lists the requests, one a line, for failures.
func (r Requests) String() string {
	var text strings.Builder
	for _, q := range r {
		fmt.Fprintln(&text, q)
	}
	return text.String()
}

func (q Request) String() string {
	return fmt.Sprintf("%s %s %s %s %s %d %s", q.Received.Format("15:04:05.000"), q.User, q.Verb, q.Resource, q.Pod, q.Code, q.Body)
}
