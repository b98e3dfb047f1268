package main

import (
	"context"
	"sync"
	"time"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// device is the health of one device as tests set it.
type device struct {
	Pool    string `json:"pool"`
	Device  string `json:"device"`
	Health  string `json:"health"`
	Message string `json:"message,omitempty"`
	Timeout int    `json:"timeout,omitempty"` // the lease in seconds; 0: the driver sets none
}

func (d device) status(now time.Time) kubeletplugin.DeviceHealth {
	return kubeletplugin.DeviceHealth{
		PoolName:           d.Pool,
		DeviceName:         d.Device,
		Health:             kubeletplugin.HealthStatus(d.Health),
		Message:            d.Message,
		HealthCheckTimeout: time.Duration(d.Timeout) * time.Second,
		LastUpdated:        now,
	}
}

// hub holds the current health of all devices and the streams it goes to. Every stream starts with all
// devices; a change is one report with the changed devices; a heartbeat is all devices again.
type hub struct {
	beat   time.Duration
	record *record

	mu      sync.Mutex
	silent  bool
	devices []device
	index   map[[2]string]int
	streams []*stream
}

func newHub(beat time.Duration, record *record) *hub {
	return &hub{beat: beat, record: record, index: map[[2]string]int{}}
}

// set takes over the devices and sends them as one report to every open stream, or to none while
// silent. It returns the moment at which they were handed over, and to how many streams.
func (h *hub) set(changed []device) (at time.Time, streams int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range changed {
		key := [2]string{d.Pool, d.Device}
		i, known := h.index[key]
		if !known {
			i = len(h.devices)
			h.index[key] = i
			h.devices = append(h.devices, device{})
		}
		h.devices[i] = d
	}
	at = time.Now()
	if h.silent {
		return at, 0
	}
	for _, s := range h.streams {
		if s.stats.Ended == nil {
			s.push(changed)
			streams++
		}
	}
	return at, streams
}

// setSilent stops or resumes all reports, heartbeats and first reports included. Resuming sends all
// devices at once.
func (h *hub) setSilent(silent bool) time.Time {
	h.mu.Lock()
	h.silent = silent
	all := append([]device(nil), h.devices...)
	h.mu.Unlock()
	if silent {
		return time.Now()
	}
	at, _ := h.set(all)
	return at
}

// flood makes every open stream send all devices `count` times, as fast as its reader takes them.
func (h *hub) flood(count int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.streams {
		if s.stats.Ended == nil {
			s.flood += count
			s.signal()
		}
	}
}

// serve carries one stream until its context ends.
func (h *hub) serve(ctx context.Context, method string, reports chan<- kubeletplugin.DeviceHealthReport) error {
	s := h.open(method)
	defer h.close(s)
	var tick <-chan time.Time
	if h.beat > 0 {
		ticker := time.NewTicker(h.beat)
		defer ticker.Stop()
		tick = ticker.C
	}
	kind := "first"
	devices := h.all()
	for {
		if len(devices) > 0 && !h.send(ctx, s, kind, devices, reports) {
			return nil
		}
		if kind, devices = h.next(s); kind != "" {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.wake:
		case <-tick:
			kind, devices = "heartbeat", h.all()
		}
	}
}

func (h *hub) send(ctx context.Context, s *stream, kind string, devices []device, reports chan<- kubeletplugin.DeviceHealthReport) bool {
	now := time.Now()
	report := kubeletplugin.DeviceHealthReport{Devices: make([]kubeletplugin.DeviceHealth, 0, len(devices))}
	for _, d := range devices {
		report.Devices = append(report.Devices, d.status(now))
	}
	select {
	case <-ctx.Done():
		return false
	case reports <- report:
	}
	h.mu.Lock()
	s.stats.Sent++
	s.stats.Last = now
	h.mu.Unlock()
	h.record.write(now, s.stats.ID, kind, devices)
	return true
}

// next takes what the stream shall send now; kind is empty when there is nothing.
func (h *hub) next(s *stream) (kind string, devices []device) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(s.pending) > 0 {
		devices = s.pending[0]
		s.pending = s.pending[1:]
		return "change", devices
	}
	if s.flood > 0 && !h.silent {
		s.flood--
		return "flood", append([]device(nil), h.devices...)
	}
	return "", nil
}

// all returns every device, or none while silent.
func (h *hub) all() []device {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.silent {
		return nil
	}
	return append([]device(nil), h.devices...)
}
