//go:build pin

// Package cluster pins the programs that build.sh builds by their import path.
package cluster

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubelet"
)
