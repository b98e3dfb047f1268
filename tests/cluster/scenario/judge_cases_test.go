package scenario

import (
	"strings"
	"testing"
	"time"
)

// soundHistory: a device that is reported healthy, unhealthy and healthy again, as it should be told.
func soundHistory() history {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var h history
	previous := "Unknown"
	for i, health := range []string{"Healthy", "Unhealthy", "Healthy"} {
		at := func(ms int) time.Time {
			return start.Add(time.Duration(i)*time.Second + time.Duration(ms)*time.Millisecond)
		}
		condition := map[string]string{"Healthy": "True", "Unhealthy": "False"}[health]
		said := func(ms int) word { return word{"gpu.example.com/pool/gpu-0", health, i + 1, at(ms)} }
		h.reported = append(h.reported, said(0))
		h.stored = append(h.stored, transition{At: at(1), Driver: "gpu.example.com", Pool: "pool", Device: "gpu-0",
			From: previous, To: health, Message: numbered(i + 1)})
		h.sent = append(h.sent, publication{"pod", at(2), []word{said(2)}, condition})
		h.shown = append(h.shown, publication{"pod", at(3), []word{said(3)}, condition})
		previous = health
	}
	return h
}

// TestJudge shows that the judge acquits who did nothing wrong, and what it finds otherwise.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*history)
		want  string // none where it is empty
	}{
		{"nothing wrong", func(*history) {}, ""},
		{"not published", func(h *history) { h.sent, h.shown = h.sent[:1], h.shown[:1] }, ""},
		{"made up", func(h *history) { h.sent[1].words[0].number = 7 }, "published but not reported before"},
		{"wrong health", func(h *history) { h.sent[1].words[0].health = "Healthy" }, "published but not reported before"},
		{"too early", func(h *history) { h.reported[1].at = h.sent[1].at.Add(time.Second) }, "published but not reported before"},
		{"Unknown device", func(h *history) { h.sent[1].words[0].health = "Unknown" }, "published but not reported before"},
		{"Unknown pod", func(h *history) { h.sent[1].condition = "Unknown" }, "is Unknown"},
		{"back to an older word", func(h *history) { h.shown = append(h.shown, h.shown[0]) }, "went back"},
		{"field taken away", func(h *history) { h.shown[1].words = nil }, `condition "False"`},
		{"condition against field", func(h *history) { h.shown[1].condition = "True" }, `condition "True"`},
		{"transition lost", func(h *history) { h.stored = append(h.stored[:1], h.stored[2]) }, "broken chain"},
		{"last transition lost", func(h *history) { h.stored = h.stored[:2] }, "but the store has"},
		{"stored after it was published", func(h *history) { h.stored[2].At = h.sent[2].at.Add(time.Second) }, "but the store has"},
		{"stored but never reported", func(h *history) { h.stored[2].Message = numbered(7) }, "stored but not reported before"},
		{"stored twice", func(h *history) { h.stored = append(h.stored, h.stored[1], h.stored[2]) }, "out of order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := soundHistory()
			c.spoil(&h)
			wrong := strings.Join(h.judge(), "\n")
			if (wrong == "") != (c.want == "") || !strings.Contains(wrong, c.want) {
				t.Errorf("found %q, want %q", wrong, c.want)
			}
		})
	}
}
