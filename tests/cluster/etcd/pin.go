//go:build pin

// Package etcd pins the server that ../build.sh builds by its import path. It is a module of its own
// because etcd and Kubernetes disagree about the versions of what they share.
package etcd

import _ "go.etcd.io/etcd/server/v3"
