// fakecri serves a CRI endpoint whose containers only pretend to run, so that a real kubelet needs no
// container runtime. GET /exit?name=CONTAINER&code=N ends the running containers of that name and
// answers how many there were.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-client/pkg/fake"
)

const image = "fake/image:1"

func main() {
	endpoint := flag.String("endpoint", "", "CRI endpoint, unix:///path")
	control := flag.String("control", "127.0.0.1:18090", "address of the control server")
	flag.Parse()

	runtime := fake.NewFakeRemoteRuntime()
	// A kubelet keeps containers waiting when their image has no ID or no size.
	runtime.ImageService.SetFakeImageSize(1000)
	runtime.ImageService.Images[image] = &runtimeapi.Image{Id: "sha256:fake", RepoTags: []string{image}, Size: 1000}
	if err := runtime.Start(*endpoint); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/exit", func(w http.ResponseWriter, r *http.Request) {
		code, err := strconv.Atoi(r.URL.Query().Get("code"))
		if err != nil {
			http.Error(w, "code must be a number", http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, endContainers(runtime.RuntimeService, r.URL.Query().Get("name"), int32(code)))
	})
	log.Fatal(http.ListenAndServe(*control, nil))
}

func endContainers(service *fake.FakeRuntimeService, name string, code int32) int {
	service.Lock()
	defer service.Unlock()
	ended := 0
	for _, c := range service.Containers {
		if c.Metadata.Name == name && c.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
			c.State = runtimeapi.ContainerState_CONTAINER_EXITED
			c.FinishedAt = time.Now().UnixNano()
			c.ExitCode = code
			c.Reason = "Error"
			ended++
		}
	}
	return ended
}
