package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// objects are those of the cluster, by kind.
type objects struct {
	Pods                   []corev1.Pod                   `json:"pods"`
	Nodes                  []corev1.Node                  `json:"nodes"`
	NodePools              []v1.NodePool                  `json:"nodePools"`
	NodeClaims             []v1.NodeClaim                 `json:"nodeClaims"`
	DaemonSets             []appsv1.DaemonSet             `json:"daemonSets"`
	Namespaces             []corev1.Namespace             `json:"namespaces"`
	PersistentVolumeClaims []corev1.PersistentVolumeClaim `json:"persistentVolumeClaims"`
	PersistentVolumes      []corev1.PersistentVolume      `json:"persistentVolumes"`
	StorageClasses         []storagev1.StorageClass       `json:"storageClasses"`
	CSINodes               []storagev1.CSINode            `json:"csiNodes"`
}

// store answers what upstream reads from the API server's cache. The embedded client is nil: a call that is not here is
// a mistake of this program and shows at once.
type store struct {
	client.Client
	objects *objects
}

func (s *store) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch target := into.(type) {
	case *corev1.Node:
		return found(s.objects.Nodes, key, target, func(o *corev1.Node) { o.DeepCopyInto(target) })
	case *v1.NodePool:
		return found(s.objects.NodePools, key, target, func(o *v1.NodePool) { o.DeepCopyInto(target) })
	case *corev1.PersistentVolumeClaim:
		return found(s.objects.PersistentVolumeClaims, key, target, func(o *corev1.PersistentVolumeClaim) { o.DeepCopyInto(target) })
	case *corev1.PersistentVolume:
		return found(s.objects.PersistentVolumes, client.ObjectKey{Name: key.Name}, target, func(o *corev1.PersistentVolume) { o.DeepCopyInto(target) })
	case *storagev1.StorageClass:
		return found(s.objects.StorageClasses, key, target, func(o *storagev1.StorageClass) { o.DeepCopyInto(target) })
	case *storagev1.CSINode:
		return found(s.objects.CSINodes, key, target, func(o *storagev1.CSINode) { o.DeepCopyInto(target) })
	}
	return fmt.Errorf("the differential run has no %T", into)
}

func found[T any, P interface {
	*T
	client.Object
}](all []T, key client.ObjectKey, target P, take func(P)) error {
	for i := range all {
		object := P(&all[i])
		if object.GetName() == key.Name && object.GetNamespace() == key.Namespace {
			take(object)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", target)}, key.String())
}

func (s *store) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	asked := (&client.ListOptions{}).ApplyOptions(opts)
	switch target := into.(type) {
	case *corev1.PodList:
		return s.listPods(target, asked)
	case *v1.NodePoolList:
		for i := range s.objects.NodePools {
			target.Items = append(target.Items, *s.objects.NodePools[i].DeepCopy())
		}
	case *appsv1.DaemonSetList:
		for i := range s.objects.DaemonSets {
			target.Items = append(target.Items, *s.objects.DaemonSets[i].DeepCopy())
		}
	case *corev1.NamespaceList:
		for i := range s.objects.Namespaces {
			if selected(asked, &s.objects.Namespaces[i]) {
				target.Items = append(target.Items, *s.objects.Namespaces[i].DeepCopy())
			}
		}
	default:
		return fmt.Errorf("the differential run has no %T", into)
	}
	return nil
}

func (s *store) listPods(into *corev1.PodList, asked *client.ListOptions) error {
	node, byNode := "", false
	if asked.FieldSelector != nil {
		if node, byNode = asked.FieldSelector.RequiresExactMatch("spec.nodeName"); !byNode {
			return fmt.Errorf("no index for %s", asked.FieldSelector)
		}
	}
	for i := range s.objects.Pods {
		pod := &s.objects.Pods[i]
		if (!byNode || pod.Spec.NodeName == node) && selected(asked, pod) {
			into.Items = append(into.Items, *pod.DeepCopy())
		}
	}
	return nil
}

func selected(asked *client.ListOptions, object client.Object) bool {
	if asked.Namespace != "" && asked.Namespace != object.GetNamespace() {
		return false
	}
	return asked.LabelSelector == nil || asked.LabelSelector.Matches(labels.Set(object.GetLabels()))
}
