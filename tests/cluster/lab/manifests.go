package lab

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Manifests are the objects of a kustomization, in the order in which they are to be applied.
type Manifests []*unstructured.Unstructured

// Render builds the kustomization in a folder as kubectl apply -k does.
func Render(t TB, folder string) Manifests {
	t.Helper()
	absolute, err := filepath.Abs(folder)
	if err != nil {
		t.Fatalf("%v", err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), absolute)
	if err != nil {
		t.Fatalf("%s: %v", folder, err)
	}
	var manifests Manifests
	for _, resource := range built.Resources() {
		object := &unstructured.Unstructured{}
		text, err := resource.MarshalJSON()
		if err == nil {
			err = json.Unmarshal(text, object)
		}
		if err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
		manifests = append(manifests, object)
	}
	return manifests
}

// Names lists the objects as Everything does.
func (m Manifests) Names() []string {
	var names []string
	for _, object := range m {
		names = append(names, describe(object))
	}
	slices.Sort(names)
	return names
}

// Kind returns the objects of a kind.
func (m Manifests) Kind(kind string) Manifests {
	var found Manifests
	for _, object := range m {
		if object.GetKind() == kind {
			found = append(found, object)
		}
	}
	return found
}

// Without returns the objects that are of none of some kinds.
func (m Manifests) Without(kinds ...string) Manifests {
	return slices.DeleteFunc(slices.Clone(m), func(object *unstructured.Unstructured) bool {
		return slices.Contains(kinds, object.GetKind())
	})
}

// Typed reads the only object of a kind into a value of its type, which has to know every field.
func (m Manifests) Typed(t TB, kind string, out any) {
	t.Helper()
	found := m.Kind(kind)
	if len(found) != 1 {
		t.Fatalf("%d objects of kind %s instead of one", len(found), kind)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(found[0].Object, out, true); err != nil {
		t.Fatalf("%s: %v", describe(found[0]), err)
	}
}

func describe(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + strings.TrimPrefix(object.GetNamespace()+"/"+object.GetName(), "/")
}
