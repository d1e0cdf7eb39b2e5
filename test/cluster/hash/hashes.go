package main

import (
	"encoding/json"
	"fmt"

	ec2 "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
	"github.com/mitchellh/hashstructure/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	karpenter "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// Upstream's own method, on upstream's own type.
func hashNodePool(req request) (string, error) {
	var pool karpenter.NodePool
	if err := json.Unmarshal(req.Object, &pool); err != nil {
		return "", err
	}
	return pool.Hash(), nil
}

// Upstream's own method of the release 1.14.1; its hash version is v5.
func hashEC2NodeClassV5(req request) (string, error) {
	var class ec2.EC2NodeClass
	if err := json.Unmarshal(req.Object, &class); err != nil {
		return "", err
	}
	return class.Hash(req.CABundle), nil
}

// Hash version v6 is in upstream's main branch and in no module the proxy serves. It differs from v5
// in one thing: the kubelet settings leave the hashed struct and join the list as one JSON text. So
// the released types serve, with the kubelet field emptied and its text put beside them.
func hashEC2NodeClassV6(req request) (string, error) {
	var envelope struct {
		Spec map[string]json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(req.Object, &envelope); err != nil {
		return "", err
	}
	kubelet, err := kubeletText(envelope.Spec["kubelet"])
	if err != nil {
		return "", err
	}
	delete(envelope.Spec, "kubelet")
	rest, err := json.Marshal(envelope)
	if err != nil {
		return "", err
	}
	var class ec2.EC2NodeClass
	if err := json.Unmarshal(rest, &class); err != nil {
		return "", err
	}
	bundle := ""
	if req.CABundle != nil {
		bundle = *req.CABundle
	}
	return hashOf([]any{class.Spec, class.AMIFamily(), bundle, kubelet})
}

// An object read from an API server has its keys in order, so the text is put in order first.
func kubeletText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "null", nil
	}
	var loose any
	if err := json.Unmarshal(raw, &loose); err != nil {
		return "", err
	}
	ordered, err := json.Marshal(loose)
	if err != nil {
		return "", err
	}
	var fields map[string]apiextensionsv1.JSON
	if err := json.Unmarshal(ordered, &fields); err != nil {
		return "", err
	}
	if len(fields) == 0 {
		return "null", nil
	}
	text, err := json.Marshal(fields)
	return string(text), err
}

func hashAKSNodeClass(req request) (string, error) {
	var class struct {
		Spec AKSNodeClassSpec `json:"spec"`
	}
	if err := json.Unmarshal(req.Object, &class); err != nil {
		return "", err
	}
	return hashOf(class.Spec)
}

func hashOf(value any) (string, error) {
	sum, err := hashstructure.Hash(value, hashstructure.FormatV2, &hashstructure.HashOptions{
		SlicesAsSets:    true,
		IgnoreZeroValue: true,
		ZeroNil:         true,
	})
	return fmt.Sprint(sum), err
}
