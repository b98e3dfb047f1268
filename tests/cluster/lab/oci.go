package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"
)

// ociConfig translates the only container of a pod for a low-level runtime, as a kubelet and containerd do: from the
// runtime's own default, whose mounts, masked paths and limits are containerd's too, and what the pod says. What it
// does not know in a pod fails. The seccomp profile is the one that containerd's was made from.
//
// One thing differs: the container shares the network of the host, where the lab's API server listens on loopback.
func (l *Lab) ociConfig(t TB, bundle, image string, pod *corev1.PodSpec) *specs.Spec {
	t.Helper()
	makeDefault := exec.Command("runc", "spec")
	makeDefault.Dir = bundle
	if out, err := makeDefault.CombinedOutput(); err != nil {
		t.Fatalf("runc spec: %v: %s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(bundle, "config.json"))
	config := &specs.Spec{}
	if err == nil {
		err = json.Unmarshal(text, config)
	}
	if err != nil {
		t.Fatalf("runc spec: %v", err)
	}
	if len(pod.Containers) != 1 || len(pod.InitContainers) > 0 || pod.HostPID || pod.HostIPC || pod.HostNetwork {
		t.Fatalf("not a pod of one container without host namespaces: %v", pod)
	}
	container := &pod.Containers[0]
	config.Hostname = l.Node
	config.Process.Terminal = false
	config.Process.Args = append([]string{"/usr/bin/dra-health-agent"}, container.Args...) // the image's entry point
	config.Process.Env = l.environment(t, container)
	config.Mounts = append(config.Mounts, l.mounts(t, pod, container)...)
	config.Linux.Namespaces = slices.DeleteFunc(config.Linux.Namespaces, func(ns specs.LinuxNamespace) bool {
		return ns.Type == specs.NetworkNamespace
	})
	config.Root = &specs.Root{Path: image}
	l.confine(t, config, pod.SecurityContext, container.SecurityContext)
	limits := container.Resources.Limits
	memory, period := limits.Memory().Value(), uint64(100_000)
	quota := limits.Cpu().MilliValue() * int64(period) / 1000
	config.Linux.Resources.Memory = &specs.LinuxMemory{Limit: &memory}
	config.Linux.Resources.CPU = &specs.LinuxCPU{Quota: &quota, Period: &period}
	return config
}

// confine carries out the security contexts.
func (l *Lab) confine(t TB, config *specs.Spec, pod *corev1.PodSecurityContext, container *corev1.SecurityContext) {
	t.Helper()
	if container.Privileged != nil && *container.Privileged || container.Capabilities == nil ||
		!slices.Equal(container.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(container.Capabilities.Add) > 0 {
		t.Fatalf("more than no capabilities: %v", container)
	}
	if pod.SeccompProfile == nil || pod.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Fatalf("not the runtime's seccomp profile: %v", pod)
	}
	config.Process.User = specs.User{UID: uint32(*pod.RunAsUser), GID: uint32(*pod.RunAsGroup)}
	config.Process.Capabilities = &specs.LinuxCapabilities{}
	config.Process.NoNewPrivileges = !*container.AllowPrivilegeEscalation
	config.Root.Readonly = *container.ReadOnlyRootFilesystem
	profile, err := seccomp.GetDefaultProfile(config)
	if err != nil {
		t.Fatalf("seccomp: %v", err)
	}
	config.Linux.Seccomp = profile
}

// environment is the container's, with what a kubelet adds.
func (l *Lab) environment(t TB, container *corev1.Container) []string {
	t.Helper()
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "KUBERNETES_SERVICE_HOST=127.0.0.1",
		fmt.Sprintf("KUBERNETES_SERVICE_PORT=%d", l.ports["apiserver"]),
	}
	for _, variable := range container.Env {
		value := variable.Value
		if from := variable.ValueFrom; from != nil {
			if from.FieldRef == nil || from.FieldRef.FieldPath != "spec.nodeName" {
				t.Fatalf("variable %s: %v", variable.Name, from)
			}
			value = l.Node
		}
		env = append(env, variable.Name+"="+value)
	}
	return env
}

// mounts are the folders of the host. What is the kubelet's is the lab's kubelet's.
func (l *Lab) mounts(t TB, pod *corev1.PodSpec, container *corev1.Container) []specs.Mount {
	t.Helper()
	var mounts []specs.Mount
	for _, mount := range container.VolumeMounts {
		i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		if i < 0 || pod.Volumes[i].HostPath == nil {
			t.Fatalf("mount %s is no folder of the host", mount.Name)
		}
		options := []string{"rbind", "rprivate", "rw"}
		if mount.ReadOnly {
			options[2] = "ro"
		}
		folder := l.hostFolder(t, pod.Volumes[i].HostPath)
		mounts = append(mounts, specs.Mount{Destination: mount.MountPath, Type: "bind", Source: folder, Options: options})
	}
	return mounts
}

// hostFolder is where the lab has a folder of the host.
func (l *Lab) hostFolder(t TB, volume *corev1.HostPathVolumeSource) string {
	t.Helper()
	folder := l.path("host", volume.Path)
	if below, err := filepath.Rel("/var/lib/kubelet", volume.Path); err == nil && filepath.IsLocal(below) {
		folder = filepath.Join(l.KubeletRoot(), below)
	}
	if *volume.Type == corev1.HostPathDirectoryOrCreate {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return folder
}
