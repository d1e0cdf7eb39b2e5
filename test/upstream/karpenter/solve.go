package main

import (
	"context"
	"flag"
	"fmt"
	"sort"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// provider offers the instance types of the request. The embedded interface is nil: upstream's planner asks for nothing
// else.
type provider struct {
	cloudprovider.CloudProvider
	types map[string][]typeRow
}

// GetInstanceTypes returns fresh objects for every call, as a cloud provider does.
func (p provider) GetInstanceTypes(_ context.Context, pool *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	var made []*cloudprovider.InstanceType
	for _, row := range p.types[pool.Name] {
		made = append(made, row.instanceType())
	}
	return made, nil
}

func (p provider) GetSupportedNodeClasses() []status.Object {
	return []status.Object{&v1alpha1.TestNodeClass{}}
}

func (p provider) RepairPolicies() []cloudprovider.RepairPolicy { return nil }

// solve plans the cluster as upstream's provisioner does: it validates the pods, builds a scheduler, solves, and
// truncates the lists of types.
func solve(asked *request) (plan, error) {
	ctx, err := contextWithOptions(asked.Options)
	if err != nil {
		return plan{}, err
	}
	kube := &store{objects: &asked.Objects}
	cloud := provider{types: asked.InstanceTypes}
	recorder := events.NewRecorder(&record.FakeRecorder{})
	now := clock.RealClock{}
	cluster := state.NewCluster(now, kube, cloud)
	if err := fill(ctx, cluster, &asked.Objects); err != nil {
		return plan{}, err
	}
	provisioner := provisioning.NewProvisioner(kube, recorder, cloud, cluster, now, nil, nil)
	made := plan{Claims: []claimRow{}, Placements: []placementRow{}, Refusals: []refusalRow{}}
	var pods []*corev1.Pod
	for i := range asked.Objects.Pods {
		pod := asked.Objects.Pods[i].DeepCopy()
		if pod.Spec.NodeName != "" {
			continue
		}
		if err := provisioner.Validate(ctx, pod); err != nil {
			made.Refusals = append(made.Refusals, refusalRow{Pod: keyOf(pod), Reason: "ignored: " + err.Error()})
			continue
		}
		pods = append(pods, pod)
	}
	if len(pods) == 0 {
		return made, nil
	}
	settings := []scheduling.Options{
		scheduling.DisableReservedCapacityFallback,
		scheduling.NumConcurrentReconciles(1),
		scheduling.MinValuesPolicy(options.FromContext(ctx).MinValuesPolicy),
	}
	if asked.Options.IgnorePreferences {
		settings = append(settings, scheduling.IgnorePreferences)
	}
	scheduler, err := provisioner.NewScheduler(ctx, pods, cluster.DeepCopyNodes().Active(), sets.New[types.UID](), settings...)
	if err != nil {
		return plan{}, fmt.Errorf("creating the scheduler: %w", err)
	}
	results, err := scheduler.Solve(ctx, pods)
	if err != nil {
		return plan{}, fmt.Errorf("solving: %w", err)
	}
	describe(&made, results.TruncateInstanceTypes(ctx, scheduling.MaxInstanceTypes))
	return made, nil
}

func contextWithOptions(asked optionsRow) (context.Context, error) {
	set := &options.FlagSet{FlagSet: flag.NewFlagSet("karpenter", flag.ContinueOnError)}
	defaults := &options.Options{}
	defaults.AddFlags(set)
	if err := defaults.Parse(set); err != nil {
		return nil, err
	}
	if asked.BestEffortMinValues {
		defaults.MinValuesPolicy = options.MinValuesPolicyBestEffort
	}
	if asked.IgnorePreferences {
		defaults.PreferencePolicy = options.PreferencePolicyIgnore
	}
	return options.ToContext(injection.WithControllerName(context.Background(), "provisioner"), defaults), nil
}

func fill(ctx context.Context, cluster *state.Cluster, given *objects) error {
	for i := range given.NodeClaims {
		cluster.UpdateNodeClaim(given.NodeClaims[i].DeepCopy())
	}
	for i := range given.Nodes {
		if err := cluster.UpdateNode(ctx, given.Nodes[i].DeepCopy()); err != nil {
			return fmt.Errorf("adding node %s: %w", given.Nodes[i].Name, err)
		}
	}
	for i := range given.Pods {
		if pod := given.Pods[i].DeepCopy(); pod.Spec.NodeName != "" {
			if err := cluster.UpdatePod(ctx, pod); err != nil {
				return fmt.Errorf("adding pod %s: %w", keyOf(pod), err)
			}
		}
	}
	for i := range given.DaemonSets {
		if err := cluster.UpdateDaemonSet(ctx, given.DaemonSets[i].DeepCopy()); err != nil {
			return fmt.Errorf("adding DaemonSet %s: %w", given.DaemonSets[i].Name, err)
		}
	}
	return nil
}

func describe(made *plan, results scheduling.Results) {
	for _, claim := range results.NewNodeClaims {
		object := claim.ToNodeClaim()
		row := claimRow{
			NodePool:         claim.NodePoolName,
			Labels:           object.Labels,
			Pods:             keysOf(claim.Pods),
			MinValuesRelaxed: object.Annotations[v1.NodeClaimMinValuesRelaxedAnnotationKey] == "true",
		}
		for _, r := range object.Spec.Requirements {
			row.Requirements = append(row.Requirements, requirementRow{r.Key, string(r.Operator), r.Values, r.MinValues})
		}
		for _, t := range claim.InstanceTypeOptions.OrderByPrice(claim.Requirements) {
			row.InstanceTypes = append(row.InstanceTypes, t.Name)
		}
		made.Claims = append(made.Claims, row)
	}
	for _, node := range results.ExistingNodes {
		if len(node.Pods) > 0 {
			made.Placements = append(made.Placements, placementRow{Node: node.Name(), Pods: keysOf(node.Pods)})
		}
	}
	for pod, err := range results.PodErrors {
		made.Refusals = append(made.Refusals, refusalRow{Pod: keyOf(pod), Reason: err.Error()})
	}
	sort.Slice(made.Refusals, func(a, b int) bool { return made.Refusals[a].Pod < made.Refusals[b].Pod })
}

func keysOf(pods []*corev1.Pod) []string {
	keys := make([]string, 0, len(pods))
	for _, pod := range pods {
		keys = append(keys, keyOf(pod))
	}
	return keys
}

func keyOf(pod *corev1.Pod) string {
	return pod.Namespace + "/" + pod.Name
}
