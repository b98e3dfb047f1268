package lab

import (
	"bytes"
	"encoding/json"
	"os"
	"time"
)

// Sent is one report that a driver has put on one of its streams. Heartbeats repeat all devices and list none.
type Sent struct {
	At      time.Time `json:"at"`
	Stream  int       `json:"stream"`
	Kind    string    `json:"kind"` // first, change or heartbeat
	Devices []Device  `json:"devices"`
}

// Sent reads the driver's own record, over all of its runs.
func (d *Driver) Sent(t TB) []Sent {
	t.Helper()
	text, err := os.ReadFile(d.record)
	if err != nil {
		t.Fatalf("record of driver %s: %v", d.Name, err)
	}
	var all []Sent
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var sent Sent
		if err := json.Unmarshal(line, &sent); err != nil {
			t.Fatalf("record of driver %s: %v in %s", d.Name, err, line)
		}
		all = append(all, sent)
	}
	return all
}
