package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// reader answers what the scheduler asks of the cluster's cache, from the workload, without copying through
// JSON as a fake client would. The embedded client is nil: any other call is a mistake and shows at once.
type reader struct {
	client.Client
	pods       []corev1.Pod
	podsByNode map[string][]corev1.Pod
	nodes      map[string]*corev1.Node
	pools      []v1.NodePool
}

func newReader(input *snapshot) *reader {
	r := &reader{podsByNode: map[string][]corev1.Pod{}, nodes: map[string]*corev1.Node{}}
	for _, pod := range input.BoundPods {
		r.pods = append(r.pods, *pod)
		r.podsByNode[pod.Spec.NodeName] = append(r.podsByNode[pod.Spec.NodeName], *pod)
	}
	for _, row := range input.Nodes {
		r.nodes[row.Name] = row.node()
	}
	return r
}

func (r *reader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if node, asked := into.(*corev1.Node); asked {
		if found, known := r.nodes[key.Name]; known {
			found.DeepCopyInto(node)
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, key.Name)
}

func (r *reader) List(_ context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if pools, asked := list.(*v1.NodePoolList); asked {
		pools.Items = slices.Clone(r.pools)
		return nil
	}
	pods, asked := list.(*corev1.PodList)
	if !asked {
		return nil
	}
	options := (&client.ListOptions{}).ApplyOptions(opts)
	from := r.pods
	if options.FieldSelector != nil {
		name, byNode := options.FieldSelector.RequiresExactMatch("spec.nodeName")
		if !byNode {
			return fmt.Errorf("no index for %s", options.FieldSelector)
		}
		from = r.podsByNode[name]
	}
	pods.Items = nil
	for i := range from {
		if options.Namespace != "" && from[i].Namespace != options.Namespace {
			continue
		}
		if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(from[i].Labels)) {
			continue
		}
		pods.Items = append(pods.Items, from[i])
	}
	return nil
}
