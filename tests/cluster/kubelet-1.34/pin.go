//go:build pin

// Package kubelet pins the older kubelet that ../build.sh builds by its import path. It is a module of its
// own because two versions of one module cannot be in one build.
package kubelet

import _ "k8s.io/kubernetes/cmd/kubelet"
