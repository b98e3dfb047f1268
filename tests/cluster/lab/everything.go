package lab

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// restless are resources whose objects come and go by themselves.
var restless = []string{"events", "leases", "csinodes"}

// Everything lists all objects that the API server has, sorted, but for those that are restless.
func (l *Lab) Everything(t TB) []string {
	t.Helper()
	groups, err := l.Client.Discovery().ServerPreferredResources()
	if err != nil {
		t.Fatalf("%v", err)
	}
	var lines []string
	for _, group := range groups {
		for _, resource := range group.APIResources {
			if slices.Contains(resource.Verbs, "list") && !slices.Contains(restless, resource.Name) {
				lines = append(lines, l.list(t, group.GroupVersion, resource)...)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func (l *Lab) list(t TB, version string, resource metav1.APIResource) []string {
	t.Helper()
	path := "/apis/"
	if !strings.Contains(version, "/") {
		path = "/api/"
	}
	text, err := l.Client.Discovery().RESTClient().Get().AbsPath(path+version+"/"+resource.Name).
		SetHeader("Accept", "application/json").DoRaw(context.Background())
	list := &metav1.PartialObjectMetadataList{}
	if err == nil {
		err = json.Unmarshal(text, list)
	}
	if err != nil {
		t.Fatalf("listing %s of %s: %v", resource.Name, version, err)
	}
	var lines []string
	for _, item := range list.Items {
		lines = append(lines, resource.Kind+" "+strings.TrimPrefix(item.Namespace+"/"+item.Name, "/"))
	}
	return lines
}
