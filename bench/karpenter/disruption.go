package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// disruptionRequest is the file for the modes `pass`, `rest` and `scheduled`: a cluster as our own disruption gets it.
type disruptionRequest struct {
	Mode  string       `json:"mode"`
	Input clusterInput `json:"input"`
	// SpotToSpot is the gate SpotToSpotConsolidation.
	SpotToSpot bool `json:"spotToSpot"`
	// MaxCandidates bounds how many candidates are judged in the mode `pass`; they are spread over all. Zero: all.
	MaxCandidates int `json:"maxCandidates"`
}

type clusterInput struct {
	Scheduling snapshot     `json:"scheduling"`
	Nodes      []clusterRow `json:"nodes"`
	Pools      []poolRow    `json:"pools"`
}

type clusterRow struct {
	Name  string        `json:"name"`
	Node  *corev1.Node  `json:"node"`
	Claim *v1.NodeClaim `json:"claim"`
	Pods  []*corev1.Pod `json:"pods"`
}

func readDisruption(path string) (*disruptionRequest, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read := &disruptionRequest{}
	if err := json.NewDecoder(file).Decode(read); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return read, nil
}

// provider offers the instance types of the file. The embedded interface is nil: any other call shows at once.
type provider struct {
	cloudprovider.CloudProvider
	types map[string][]*cloudprovider.InstanceType
}

func (p *provider) GetInstanceTypes(_ context.Context, pool *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return p.types[pool.Name], nil
}

func (p *provider) GetSupportedNodeClasses() []status.Object {
	return []status.Object{&v1alpha1.TestNodeClass{}}
}

func (p *provider) Name() string { return "bench" }

// silent drops events.
type silent struct{}

func (silent) Publish(...events.Event) {}

// trusting replaces the 15 seconds between a decision and its validation: nothing changes meanwhile in a benchmark.
type trusting struct{}

func (trusting) Validate(_ context.Context, command disruption.Command, _ time.Duration) (disruption.Command, error) {
	return command, nil
}

// disrupted is a cluster with all that upstream's disruption needs.
type disrupted struct {
	client      *reader
	cluster     *state.Cluster
	provider    *provider
	provisioner *provisioning.Provisioner
	queue       *disruption.Queue
	clock       clock.Clock
	emptiness   disruption.Method
	multi       disruption.Method
	single      disruption.Method
}

// world is what the objects are at a moment. Commands change it.
type world struct {
	rows  []clusterRow
	pools []*v1.NodePool
	types map[string][]*cloudprovider.InstanceType
}

func newWorld(input *clusterInput) *world {
	gv := schema.GroupVersion{Group: "karpenter.test.sh", Version: "v1alpha1"}
	metav1.AddToGroupVersion(scheme.Scheme, gv)
	scheme.Scheme.AddKnownTypes(gv, &v1alpha1.TestNodeClass{}, &v1alpha1.TestNodeClassList{})
	v1.WellKnownLabels.Insert(input.Scheduling.WellKnownLabels...)
	snapshot := input.Scheduling
	snapshot.Pools = input.Pools
	made := &world{types: snapshot.instanceTypes(), pools: snapshot.nodePools()}
	for _, pool := range made.pools {
		pool.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: gv.Group, Kind: "TestNodeClass", Name: "default"}
		pool.StatusConditions().SetTrue(v1.ConditionTypeValidationSucceeded)
		pool.StatusConditions().SetTrue(v1.ConditionTypeNodeClassReady)
		pool.StatusConditions().SetTrue(status.ConditionReady)
	}
	for _, row := range input.Nodes {
		made.rows = append(made.rows, ready(row))
	}
	return made
}

// ready adds what upstream reads from a Node that has joined: provider id and labels.
func ready(row clusterRow) clusterRow {
	labels := maps.Clone(row.Node.Labels)
	labels[v1.NodeRegisteredLabelKey] = "true"
	labels[v1.NodeInitializedLabelKey] = "true"
	row.Node.Labels = labels
	row.Node.Spec.ProviderID = "bench://" + row.Name
	row.Claim.Status.ProviderID = row.Node.Spec.ProviderID
	row.Claim.Status.NodeName = row.Name
	return row
}

func (w *world) open(ctx context.Context) (*disrupted, error) {
	client := &reader{podsByNode: map[string][]corev1.Pod{}, nodes: map[string]*corev1.Node{}}
	for _, pool := range w.pools {
		client.pools = append(client.pools, *pool)
	}
	for _, row := range w.rows {
		client.nodes[row.Name] = row.Node
		for _, pod := range row.Pods {
			client.pods = append(client.pods, *pod)
			client.podsByNode[row.Name] = append(client.podsByNode[row.Name], *pod)
		}
	}
	now := clock.RealClock{}
	made := &disrupted{client: client, clock: now, provider: &provider{types: w.types}}
	made.cluster = state.NewCluster(now, client, made.provider)
	for _, row := range w.rows {
		made.cluster.UpdateNodeClaim(row.Claim)
		if err := made.cluster.UpdateNode(ctx, row.Node); err != nil {
			return nil, err
		}
		for _, pod := range row.Pods {
			if err := made.cluster.UpdatePod(ctx, pod); err != nil {
				return nil, err
			}
		}
	}
	made.provisioner = provisioning.NewProvisioner(
		client, silent{}, made.provider, made.cluster, now, nil, virtualpods.NewVirtualPodCache(client),
	)
	made.queue = disruption.NewQueue(client, silent{}, made.cluster, now, made.provisioner)
	shared := disruption.MakeConsolidation(now, made.cluster, client, made.provisioner, made.provider, silent{}, made.queue)
	validator := disruption.WithValidator(trusting{})
	made.emptiness = disruption.NewEmptiness(shared, validator)
	made.multi = disruption.NewMultiNodeConsolidation(shared, validator)
	made.single = disruption.NewSingleNodeConsolidation(shared, validator)
	return made, nil
}

// candidates are those of a method, with what the NodePools allow.
func (d *disrupted) candidates(ctx context.Context, method disruption.Method) ([]*disruption.Candidate, map[string]int, error) {
	found, totals, err := disruption.GetCandidatesWithTotals(
		ctx, d.cluster, d.client, silent{}, d.clock, d.provider, method.ShouldDisrupt, method.Class(), d.queue, nil,
	)
	if err != nil {
		return nil, nil, err
	}
	if setter, asked := method.(disruption.NodePoolTotalsSetter); asked {
		setter.SetNodePoolTotals(totals)
	}
	allowed, err := disruption.BuildDisruptionBudgetMapping(
		ctx, d.cluster, d.clock, d.client, d.provider, silent{}, method.Reason(),
	)
	// Upstream keeps nodes in a map: the order would differ from run to run.
	slices.SortFunc(found, func(a, b *disruption.Candidate) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, allowed, err
}

func disruptionContext(spotToSpot bool) (context.Context, error) {
	ctx, err := contextWithOptions()
	if err != nil {
		return nil, err
	}
	given := *options.FromContext(ctx)
	given.FeatureGates.SpotToSpotConsolidation = spotToSpot
	return options.ToContext(ctx, &given), nil
}
