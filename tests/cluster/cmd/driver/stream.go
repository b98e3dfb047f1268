package main

import "time"

// streamStats is what /stats tells about one health stream.
type streamStats struct {
	ID     int        `json:"id"`
	Method string     `json:"method"`
	Opened time.Time  `json:"opened"`
	Ended  *time.Time `json:"ended,omitempty"`
	Sent   int        `json:"sent"` // reports handed to the helper library
	Last   time.Time  `json:"last"` // when the last of them was
}

// stream is one watcher. All of it belongs to the hub's mutex, but for wake.
type stream struct {
	stats   streamStats
	pending [][]device
	flood   int
	wake    chan struct{}
}

func (s *stream) push(devices []device) {
	s.pending = append(s.pending, devices)
	s.signal()
}

func (s *stream) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (h *hub) open(method string) *stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &stream{wake: make(chan struct{}, 1)}
	s.stats = streamStats{ID: len(h.streams) + 1, Method: method, Opened: time.Now()}
	h.streams = append(h.streams, s)
	return s
}

// close keeps the stream's figures and lets go of the rest.
func (h *hub) close(s *stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	s.stats.Ended = &now
	s.pending = nil
}

func (h *hub) stats() []streamStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]streamStats, 0, len(h.streams))
	for _, s := range h.streams {
		all = append(all, s.stats)
	}
	return all
}
