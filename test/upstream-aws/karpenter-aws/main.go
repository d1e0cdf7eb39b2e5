// Computes instance types with the AWS provider of Karpenter: types and setups of node classes come as JSON on standard
// input, one line of JSON per setup and type goes to standard output. Quantities are written as plain decimal numbers.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"sort"
	"strings"

	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/aws/karpenter-provider-aws/pkg/operator/options"
	"github.com/aws/karpenter-provider-aws/pkg/providers/instancetype"
)

type setup struct {
	Name       string   `json:"name"`
	AMIFamily  string   `json:"amiFamily"`
	Kubelet    kubelet  `json:"kubelet"`
	Disks      []disk   `json:"disks"`
	RAID0      bool     `json:"raid0"`
	Interfaces []nic    `json:"interfaces"`
	Options    settings `json:"options"`
}

type kubelet struct {
	MaxPods        *int32            `json:"maxPods"`
	PodsPerCore    *int32            `json:"podsPerCore"`
	KubeReserved   map[string]string `json:"kubeReserved"`
	SystemReserved map[string]string `json:"systemReserved"`
	EvictionHard   map[string]string `json:"evictionHard"`
	EvictionSoft   map[string]string `json:"evictionSoft"`
}

type disk struct {
	Device     string `json:"device"`
	RootVolume bool   `json:"rootVolume"`
	VolumeSize string `json:"volumeSize"`
}

type nic struct {
	NetworkCardIndex int32  `json:"networkCardIndex"`
	DeviceIndex      int32  `json:"deviceIndex"`
	InterfaceType    string `json:"interfaceType"`
}

type settings struct {
	ReservedENIs   int     `json:"reservedEnis"`
	MemoryOverhead float64 `json:"memoryOverhead"`
}

func main() {
	var request struct {
		Setups []setup                     `json:"setups"`
		Types  []ec2types.InstanceTypeInfo `json:"types"`
	}
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&request); err != nil {
		panic(err)
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, s := range request.Setups {
		for _, info := range request.Types {
			line, err := json.Marshal(resolve(s, info))
			if err != nil {
				panic(err)
			}
			out.Write(append(line, '\n'))
		}
	}
}

func resolve(s setup, info ec2types.InstanceTypeInfo) map[string]any {
	ctx := options.ToContext(context.Background(), &options.Options{
		VMMemoryOverheadPercent: s.Options.MemoryOverhead,
		ReservedENIs:            s.Options.ReservedENIs,
	})
	var disks []*v1.BlockDeviceMapping
	for _, d := range s.Disks {
		mapping := &v1.BlockDeviceMapping{DeviceName: &d.Device, RootVolume: d.RootVolume, EBS: &v1.BlockDevice{}}
		if d.VolumeSize != "" {
			size := resource.MustParse(d.VolumeSize)
			mapping.EBS.VolumeSize = &size
		}
		disks = append(disks, mapping)
	}
	var nics []*v1.NetworkInterface
	for _, n := range s.Interfaces {
		nics = append(nics, &v1.NetworkInterface{
			NetworkCardIndex: n.NetworkCardIndex,
			DeviceIndex:      n.DeviceIndex,
			InterfaceType:    v1.InterfaceType(n.InterfaceType),
		})
	}
	var policy *v1.InstanceStorePolicy
	if s.RAID0 {
		raid0 := v1.InstanceStorePolicyRAID0
		policy = &raid0
	}
	zones := []v1.ZoneInfo{
		{Zone: "us-east-1a", ZoneID: "use1-az1", SubnetIDs: []string{"subnet-1"}},
		{Zone: "us-east-1c", ZoneID: "use1-az3", SubnetIDs: []string{"subnet-3"}},
	}
	k := s.Kubelet
	it := instancetype.NewInstanceType(ctx, info, "us-east-1", []string{"us-east-1a", "us-east-1b"}, zones, disks, policy, nics,
		k.MaxPods, k.PodsPerCore, k.KubeReserved, k.SystemReserved, k.EvictionHard, k.EvictionSoft, s.AMIFamily, nil)
	labels := map[string]string{}
	for key, requirement := range it.Requirements {
		values := requirement.Values()
		sort.Strings(values)
		labels[key] = strings.TrimSpace(string(requirement.Operator()) + " " + strings.Join(values, ","))
	}
	return map[string]any{
		"setup":          s.Name,
		"type":           it.Name,
		"labels":         labels,
		"capacity":       plain(it.Capacity),
		"kubeReserved":   plain(it.Overhead.KubeReserved),
		"systemReserved": plain(it.Overhead.SystemReserved),
		"eviction":       plain(it.Overhead.EvictionThreshold),
		"allocatable":    plain(it.Allocatable()),
	}
}

func plain(list corev1.ResourceList) map[string]string {
	result := map[string]string{}
	for name, quantity := range list {
		result[string(name)] = quantity.AsDec().String()
	}
	return result
}
