// Reads launches as JSON and answers what upstream's AWS provider chooses for each: its own filters, its own truncation,
// and the capacity type that follows from them.
package main

import (
	"context"
	"encoding/json"
	"os"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instance/filter"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

type Offering struct {
	CapacityType, Zone, Reservation, Kind string
	Price                                 float64
	Available, Interruptible              bool
	Free                                  int
}

type InstanceType struct {
	Name, Family, Size, CPU, GPU string
	Offerings                    []Offering
}

type Launch struct {
	Types                []InstanceType
	CapacityTypes, Zones []string
	MinFamilies          int
	CPU                  string
}

func main() {
	var launches []Launch
	if err := json.NewDecoder(os.Stdin).Decode(&launches); err != nil {
		panic(err)
	}
	choices := make([]string, len(launches))
	for i, launch := range launches {
		choices[i] = choose(launch)
	}
	if err := json.NewEncoder(os.Stdout).Encode(choices); err != nil {
		panic(err)
	}
}

// A capacity type and its offerings, or the name of what failed.
func choose(launch Launch) (choice string) {
	defer func() {
		if recover() != nil {
			choice = "panic"
		}
	}()
	requirements := requirementsOf(launch)
	types := typesOf(launch.Types)
	for _, each := range []filter.Filter{
		filter.CompatibleAvailableFilter(requirements, corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(launch.CPU)}),
		filter.CapacityReservationTypeFilter(requirements),
		filter.CapacityBlockFilter(requirements),
		filter.ReservedOfferingFilter(requirements),
		filter.ExoticInstanceTypeFilter(requirements),
		filter.SpotOfferingFilter(requirements),
	} {
		if types, _ = each.FilterReject(types); len(types) == 0 {
			return "none"
		}
	}
	ctx := options.ToContext(context.Background(), &options.Options{MinValuesPolicy: options.MinValuesPolicyStrict})
	types, err := cloudprovider.InstanceTypes(types).Truncate(ctx, requirements, 60)
	if err != nil {
		return "minValues"
	}
	for _, capacityType := range []string{"reserved", "spot", "on-demand"} {
		if offered := offeringsOf(types, requirements, capacityType); len(offered) > 0 {
			sort.Strings(offered)
			for _, each := range offered {
				choice += " " + each
			}
			return capacityType + choice
		}
	}
	return "none"
}

func requirementsOf(launch Launch) scheduling.Requirements {
	var list []karpv1.NodeSelectorRequirementWithMinValues
	for key, values := range map[string][]string{karpv1.CapacityTypeLabelKey: launch.CapacityTypes, corev1.LabelTopologyZone: launch.Zones} {
		if len(values) > 0 {
			list = append(list, karpv1.NodeSelectorRequirementWithMinValues{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values})
		}
	}
	if launch.MinFamilies > 0 {
		list = append(list, karpv1.NodeSelectorRequirementWithMinValues{
			Key: v1.LabelInstanceFamily, Operator: corev1.NodeSelectorOpExists, MinValues: &launch.MinFamilies,
		})
	}
	return scheduling.NewNodeSelectorRequirementsWithMinValues(list...)
}

func typesOf(given []InstanceType) (types []*cloudprovider.InstanceType) {
	for _, each := range given {
		var offerings cloudprovider.Offerings
		for _, offering := range each.Offerings {
			offerings = append(offerings, offeringOf(offering))
		}
		types = append(types, &cloudprovider.InstanceType{
			Name: each.Name,
			Requirements: scheduling.NewRequirements(
				in(corev1.LabelInstanceTypeStable, each.Name), in(v1.LabelInstanceFamily, each.Family), in(v1.LabelInstanceSize, each.Size),
			),
			Capacity: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(each.CPU), v1.ResourceNVIDIAGPU: resource.MustParse(each.GPU),
			},
			Overhead:  &cloudprovider.InstanceTypeOverhead{},
			Offerings: offerings,
		})
	}
	return types
}

func offeringOf(given Offering) *cloudprovider.Offering {
	requirements := scheduling.NewRequirements(in(karpv1.CapacityTypeLabelKey, given.CapacityType), in(corev1.LabelTopologyZone, given.Zone))
	if given.Reservation != "" {
		interruptible := map[bool]string{true: "true", false: "false"}[given.Interruptible]
		requirements.Add(
			in(cloudprovider.ReservationIDLabel, given.Reservation),
			in(v1.LabelCapacityReservationType, given.Kind),
			in(v1.LabelCapacityReservationInterruptible, interruptible),
		)
	}
	return &cloudprovider.Offering{
		Requirements: requirements, Price: given.Price, Available: given.Available, ReservationCapacity: given.Free,
	}
}

func offeringsOf(types []*cloudprovider.InstanceType, requirements scheduling.Requirements, capacityType string) (offered []string) {
	for _, each := range types {
		for _, offering := range each.Offerings.Available().Compatible(requirements) {
			if offering.CapacityType() != capacityType {
				continue
			}
			name := each.Name + "/" + offering.Zone()
			if capacityType == "reserved" {
				name += "/" + offering.ReservationID()
			}
			offered = append(offered, name)
		}
	}
	return offered
}

func in(key string, values ...string) *scheduling.Requirement {
	return scheduling.NewRequirement(key, corev1.NodeSelectorOpIn, values...)
}
