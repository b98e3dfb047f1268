package lab

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
)

// Apply applies manifests as kubectl apply --server-side --validate=strict does, and fails where the API
// server refuses or warns.
func (l *Lab) Apply(t TB, manifests Manifests) {
	t.Helper()
	objects := l.newObjects(t)
	for _, object := range manifests {
		text, err := json.Marshal(object)
		if err == nil {
			_, err = objects.resource(t, object).Patch(context.Background(), object.GetName(), types.ApplyPatchType, text,
				metav1.PatchOptions{FieldManager: "lab", FieldValidation: metav1.FieldValidationStrict})
		}
		if err != nil {
			t.Fatalf("applying %s: %v", describe(object), err)
		}
	}
	Equal(t, "warnings of the API server", objects.said.String(), "")
}

// Remove deletes the objects of manifests, the last first, and waits until they are gone.
func (l *Lab) Remove(t TB, manifests Manifests) {
	t.Helper()
	ctx, background := context.Background(), metav1.DeletePropagationBackground
	objects := l.newObjects(t)
	for i := len(manifests) - 1; i >= 0; i-- {
		object := manifests[i]
		resource := objects.resource(t, object)
		if err := resource.Delete(ctx, object.GetName(), metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			t.Errorf("deleting %s: %v", describe(object), err)
			continue
		}
		if object.GetKind() == "Namespace" {
			l.finalize(t, object.GetName())
		}
		Wait(t, describe(object)+" to be gone", 30*time.Second, func() (bool, string) {
			_, err := resource.Get(ctx, object.GetName(), metav1.GetOptions{})
			return apierrors.IsNotFound(err), "still there"
		})
	}
	Equal(t, "warnings of the API server", objects.said.String(), "")
}

// finalize does a namespace controller's work for a namespace that is empty.
func (l *Lab) finalize(t TB, name string) {
	t.Helper()
	ctx, namespaces := context.Background(), l.Client.CoreV1().Namespaces()
	namespace, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		namespace.Spec.Finalizers = []corev1.FinalizerName{}
		_, err = namespaces.Finalize(ctx, namespace, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Errorf("namespace %s: %v", name, err)
	}
}

// objects reaches objects of any kind, and keeps what the API server warns of.
type objects struct {
	client dynamic.Interface
	mapper meta.RESTMapper
	said   *warnings
}

func (l *Lab) newObjects(t TB) objects {
	t.Helper()
	said := &warnings{}
	config := l.config(t, l.Kubeconfig(AdminUser))
	config.WarningHandler = said
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	groups, err := restmapper.GetAPIGroupResources(l.Client.Discovery())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return objects{client, restmapper.NewDiscoveryRESTMapper(groups), said}
}

func (o objects) resource(t TB, object *unstructured.Unstructured) dynamic.ResourceInterface {
	t.Helper()
	kind := object.GroupVersionKind()
	mapping, err := o.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		t.Fatalf("%s: %v", describe(object), err)
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return o.client.Resource(mapping.Resource).Namespace(object.GetNamespace())
	}
	return o.client.Resource(mapping.Resource)
}

type warnings struct {
	mu    sync.Mutex
	lines []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, text)
}

func (w *warnings) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.lines, "\n")
}
