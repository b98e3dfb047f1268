package main

import (
	"encoding/json"
	"log"
	"os"
	"sync"
	"time"
)

// entry is one line of the record: one report on one stream. Only first reports and changes list their
// devices; heartbeats repeat what was said.
type entry struct {
	At      time.Time `json:"at"`
	Stream  int       `json:"stream"`
	Kind    string    `json:"kind"` // first, change or heartbeat
	Count   int       `json:"count"`
	Devices []device  `json:"devices,omitempty"`
}

// record appends entries to a file, each in one write, so that a killed driver leaves whole lines. A
// record without a file takes nothing. A flood is not recorded: it would be slowed down by it.
type record struct {
	mu   sync.Mutex
	file *os.File
}

func openRecord(path string) (*record, error) {
	if path == "" {
		return &record{}, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return &record{file: file}, err
}

func (r *record) write(at time.Time, stream int, kind string, devices []device) {
	if r.file == nil || kind == "flood" {
		return
	}
	e := entry{At: at, Stream: stream, Kind: kind, Count: len(devices)}
	if kind != "heartbeat" {
		e.Devices = devices
	}
	line, err := json.Marshal(e)
	if err != nil {
		log.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		log.Fatal(err)
	}
}
