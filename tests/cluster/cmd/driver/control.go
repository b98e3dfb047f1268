package main

import (
	"encoding/json"
	"log"
	"net/http"
	"strconv"
	"time"
)

// control answers, in JSON:
//
//	POST /health                   body: [{"pool", "device", "health", "message", "timeout"}, ...]: one report
//	POST /silent?on=true|false     no reports at all, or all devices at once and as usual from then on
//	POST /flood?count=N            all devices N times on every stream, as fast as it is read
//	GET  /stats                    the streams, and how often each unary method was called
//
// The first two answer the moment at which the report was handed to the streams, in Unix nanoseconds.
func control(h *hub, c *calls) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /health", func(w http.ResponseWriter, r *http.Request) {
		var devices []device
		if err := json.NewDecoder(r.Body).Decode(&devices); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		at, streams := h.set(devices)
		answer(w, map[string]int64{"at": at.UnixNano(), "streams": int64(streams)})
	})
	mux.HandleFunc("POST /silent", func(w http.ResponseWriter, r *http.Request) {
		on, err := strconv.ParseBool(r.URL.Query().Get("on"))
		if err != nil {
			http.Error(w, "on must be true or false", http.StatusBadRequest)
			return
		}
		answer(w, map[string]int64{"at": h.setSilent(on).UnixNano()})
	})
	mux.HandleFunc("POST /flood", func(w http.ResponseWriter, r *http.Request) {
		count, err := strconv.Atoi(r.URL.Query().Get("count"))
		if err != nil || count < 1 {
			http.Error(w, "count must be a number above 0", http.StatusBadRequest)
			return
		}
		h.flood(count)
		answer(w, map[string]int64{"at": time.Now().UnixNano()})
	})
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"streams": h.stats(), "calls": c.snapshot()})
	})
	return mux
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}
