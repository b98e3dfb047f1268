// fakecri serves a CRI endpoint whose containers only pretend to run, so that a real kubelet needs no
// container runtime. On its control socket, POST /exit?pod=POD&container=NAME&code=N ends the running
// containers of that name, in all pods where no pod is given, and answers how many there were.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	apitest "k8s.io/cri-api/pkg/apis/testing"
	"k8s.io/cri-client/pkg/fake"
)

// image is the only one there is.
const image = "fake/image:1"

func main() {
	endpoint := flag.String("endpoint", "", "CRI endpoint, unix:///path")
	control := flag.String("control", "", "path of the control server's socket")
	flag.Parse()

	runtime := fake.NewFakeRemoteRuntime()
	// A kubelet keeps containers waiting when their image has no ID or no size.
	runtime.ImageService.SetFakeImageSize(1000)
	runtime.ImageService.Images[image] = &runtimeapi.Image{Id: "sha256:fake", RepoTags: []string{image}, Size: 1000}
	if err := runtime.Start(*endpoint); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("unix", *control)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /exit", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		code, err := strconv.Atoi(query.Get("code"))
		if err != nil {
			http.Error(w, "code must be a number", http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, end(runtime.RuntimeService, query.Get("pod"), query.Get("container"), int32(code)))
	})
	log.Fatal(http.Serve(listener, nil))
}

// end lets containers exit; the kubelet finds out at its next look.
func end(service *apitest.FakeRuntimeService, pod, container string, code int32) int {
	service.Lock()
	defer service.Unlock()
	ended := 0
	for _, c := range service.Containers {
		if c.Metadata.Name != container || c.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
			continue
		}
		if pod != "" && c.Labels["io.kubernetes.pod.name"] != pod {
			continue
		}
		c.State = runtimeapi.ContainerState_CONTAINER_EXITED
		c.FinishedAt = time.Now().UnixNano()
		c.ExitCode = code
		c.Reason = "Error"
		ended++
	}
	return ended
}
