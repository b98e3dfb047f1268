package scenario

import "os"

// olderKubelet is the version of the kubelet where that is not the API server's: then it is a 1.34. That one
// speaks v1alpha1 to drivers, writes no messages, and shows health only where a pod's claim has the name of
// its ResourceClaim.
var olderKubelet = os.Getenv("OLDER_KUBELET")

// kubeletsVersion is the version of the health service that the kubelet asks for.
func kubeletsVersion() string {
	if olderKubelet != "" {
		return "v1alpha1"
	}
	return "v1"
}

// kubeletSays is what the kubelet shows of a health and a driver's message.
func kubeletSays(health, message string) string {
	if olderKubelet != "" || message == "" {
		return health
	}
	return health + " " + message
}

// shownClaim is a name under which the kubelet shows the health of a ResourceClaim that a pod calls gpu.
func shownClaim(pod string) string {
	if olderKubelet != "" {
		return "gpu"
	}
	return pod
}
