// Renders user data with the AWS provider of upstream Karpenter, or lists the SSM parameters of an alias: one request per
// line of JSON on the standard input, one answer per line on the standard output. Only upstream's exported functions are
// called.
package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"os"

	v1 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/aws/karpenter-provider-aws/pkg/providers/amifamily"
	"github.com/aws/karpenter-provider-aws/pkg/providers/launchtemplate"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

type request struct {
	Name      string            `json:"name"`
	NodeClass v1.EC2NodeClass   `json:"nodeClass"`
	NodeClaim karpv1.NodeClaim  `json:"nodeClaim"`
	Labels    map[string]string `json:"labels"`
	Cluster   struct {
		Name     string `json:"name"`
		Endpoint string `json:"endpoint"`
		CABundle string `json:"caBundle"`
		CIDR     string `json:"cidr"`
		DNSIP    string `json:"dnsIP"`
	} `json:"cluster"`
	InstanceType string `json:"instanceType"`
	Architecture string `json:"architecture"`
	MaxPods      int64  `json:"maxPods"`
	// Asks for the parameters of an alias instead of user data.
	Images *imagesRequest `json:"images"`
}

type answer struct {
	Name                string                   `json:"name"`
	UserData            string                   `json:"userData"`
	BlockDeviceMappings []*v1.BlockDeviceMapping `json:"blockDeviceMappings"`
	Parameters          []parameter              `json:"parameters,omitempty"`
	Error               string                   `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, "unreadable request:", err)
			os.Exit(1)
		}
		var rendered answer
		var err error
		if asked.Images != nil {
			rendered, err = images(*asked.Images)
		} else {
			rendered, err = render(asked)
		}
		if err != nil {
			rendered.Error = err.Error()
		}
		rendered.Name = asked.Name
		if err := out.Encode(rendered); err != nil {
			os.Exit(1)
		}
	}
}

func render(asked request) (answer, error) {
	cluster := asked.Cluster
	options := &amifamily.Options{
		ClusterName:         cluster.Name,
		ClusterEndpoint:     cluster.Endpoint,
		ClusterCIDR:         &cluster.CIDR,
		CABundle:            &cluster.CABundle,
		InstanceStorePolicy: asked.NodeClass.Spec.InstanceStorePolicy,
		AMISelectorTerms:    asked.NodeClass.Spec.AMISelectorTerms,
		AMIs:                asked.NodeClass.Status.AMIs,
		Labels:              launchtemplate.InjectDoNotSyncTaintsLabel(asked.NodeClass.AMIFamily(), asked.Labels),
		KubeDNSIP:           net.ParseIP(cluster.DNSIP),
		NodeClassName:       asked.NodeClass.Name,
	}
	instanceType := &cloudprovider.InstanceType{
		Name: asked.InstanceType,
		Requirements: scheduling.NewRequirements(
			scheduling.NewRequirement(corev1.LabelArchStable, corev1.NodeSelectorOpIn, asked.Architecture),
		),
		Capacity: corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(asked.MaxPods, resource.DecimalSI)},
	}
	templates, err := amifamily.NewDefaultResolver("us-east-1").Resolve(
		&asked.NodeClass, &asked.NodeClaim, []*cloudprovider.InstanceType{instanceType},
		karpv1.CapacityTypeOnDemand, "default", options, "", 0,
	)
	if err != nil {
		return answer{}, err
	}
	if len(templates) != 1 {
		return answer{}, fmt.Errorf("%d launch templates instead of one", len(templates))
	}
	encoded, err := templates[0].UserData.Script(context.Background())
	if err != nil {
		return answer{}, err
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return answer{}, err
	}
	return answer{UserData: string(text), BlockDeviceMappings: templates[0].BlockDeviceMappings}, nil
}
