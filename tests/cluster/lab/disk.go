package lab

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Disk is a small file system of its own.
type Disk struct {
	Path string
}

// NewDisk mounts one of a size as mount(8) has it. It ends with the TB, after what is started on it.
func (l *Lab) NewDisk(t TB, size string) *Disk {
	t.Helper()
	path, err := os.MkdirTemp(l.path("run"), "disk-")
	if err == nil {
		err = syscall.Mount("tmpfs", path, "tmpfs", 0, "size="+size)
	}
	if err != nil {
		t.Fatalf("disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(path, 0); err != nil {
			t.Errorf("disk %s: %v", path, err)
		}
	})
	return &Disk{path}
}

// Fill leaves no byte free; Free ends that.
func (d *Disk) Fill(t TB) {
	t.Helper()
	file, err := os.Create(d.filler())
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer file.Close()
	block := make([]byte, os.Getpagesize())
	for err == nil {
		_, err = file.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling %s: %v", d.Path, err)
	}
}

// Free removes what Fill has left.
func (d *Disk) Free(t TB) {
	t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		t.Fatalf("%v", err)
	}
}

// SetReadOnly remounts the disk. It fails while somebody has a file of it open for writing.
func (d *Disk) SetReadOnly(t TB, on bool) {
	t.Helper()
	flags := uintptr(syscall.MS_REMOUNT)
	if on {
		flags |= syscall.MS_RDONLY
	}
	if err := syscall.Mount("", d.Path, "", flags, ""); err != nil {
		t.Fatalf("remounting %s: %v", d.Path, err)
	}
}

func (d *Disk) filler() string { return filepath.Join(d.Path, "filler") }
