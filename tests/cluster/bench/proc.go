package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// What the kernel knows of a process.

// rssMiB is the resident memory, shared libraries included.
func rssMiB(pid int) float64 {
	kib, _ := strconv.Atoi(strings.Fields(value(fmt.Sprintf("/proc/%d/status", pid), "VmRSS"))[0])
	return float64(kib) / 1024
}

// writtenBytes is what the process has passed to write calls.
func writtenBytes(pid int) float64 {
	bytes, _ := strconv.Atoi(value(fmt.Sprintf("/proc/%d/io", pid), "wchar"))
	return float64(bytes)
}

// cpuTime is the time that the process has run, on all cores together.
func cpuTime(pid int) time.Duration {
	const perSecond = 100 // USER_HZ, the same on every Linux
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	// The name, which may hold spaces, ends with the last parenthesis; utime and stime are the 12th and
	// 13th field after it.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / perSecond
}
