package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// machine is what the figures were measured on.
type machine struct {
	CPU       string `json:"cpu"`
	Cores     int    `json:"cores"`
	MemoryMiB int    `json:"memoryMiB"`
	Kernel    string `json:"kernel"`
	Load      string `json:"load"` // the averages at the start: a busy machine spoils a run
}

func thisMachine() machine {
	memory, _ := strconv.Atoi(strings.Fields(value("/proc/meminfo", "MemTotal"))[0])
	load, _ := os.ReadFile("/proc/loadavg")
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return machine{
		CPU:       value("/proc/cpuinfo", "model name"),
		Cores:     runtime.NumCPU(),
		MemoryMiB: memory / 1024,
		Kernel:    strings.TrimSpace(string(kernel)),
		Load:      strings.Join(strings.Fields(string(load))[:3], " "),
	}
}

func (m machine) String() string {
	return fmt.Sprintf("%s, %d cores, %d MiB, Linux %s, load %s", m.CPU, m.Cores, m.MemoryMiB, m.Kernel, m.Load)
}

// value finds "key : value" in a file of such lines.
func value(path, key string) string {
	text, _ := os.ReadFile(path)
	for _, line := range strings.Split(string(text), "\n") {
		if name, found, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(found)
		}
	}
	return "0"
}
