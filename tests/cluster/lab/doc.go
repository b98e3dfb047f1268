// Package lab runs a real etcd, kube-apiserver and kubelet on loopback, in a temporary folder, with a CRI
// fake instead of a container runtime, drivers on the upstream helper library, and the agent beside them.
//
// Start with New; then StartDriver, StartAgent, NewClaim and NewPod. Render and Apply install manifests, and
// NewContained runs the agent under runc as they describe it. Every part can be stopped, killed and
// started again by itself. Whatever goes wrong fails the TB, and the TB's clean-up ends all processes.
// Judge by what the API server says (Record, Audit), not by what the agent says of itself.
//
// Processes end with the test program, even when it is killed. The kubelet has a mount namespace of its
// own in which the folders that it uses whatever its root folder is are the lab's: nothing of the host's
// kubelet is touched, and its mounts are gone when it is. Needs root.
package lab
