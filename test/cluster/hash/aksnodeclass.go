package main

// The Azure provider's module is not served by the Go proxy, so its hash cannot be called. What the
// hash depends on is declared here instead: the names of types and fields, their order and their
// kinds, as the provider's v1beta1 API has them. hashstructure itself then does the hashing.

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	karpenter "sigs.k8s.io/karpenter/pkg/apis/v1"
)

type AKSNodeClassSpec struct {
	VNETSubnetID      *string               `json:"vnetSubnetID"`
	OSDiskSizeGB      *int32                `json:"osDiskSizeGB"`
	ImageID           *string               `json:"-"`
	ImageFamily       *string               `json:"imageFamily"`
	FIPSMode          *string               `json:"fipsMode"`
	Tags              map[string]string     `json:"tags" hash:"ignore"`
	Kubelet           *KubeletConfiguration `json:"kubelet"`
	MaxPods           *int32                `json:"maxPods"`
	Security          *Security             `json:"security"`
	LocalDNS          *LocalDNS             `json:"localDNS"`
	GPU               *GPU                  `json:"gpu"`
	ArtifactStreaming *ArtifactStreaming    `json:"artifactStreaming"`
	LinuxOSConfig     *LinuxOSConfiguration `json:"linuxOSConfig"`
}

type KubeletConfiguration struct {
	CPUManagerPolicy            *string         `json:"cpuManagerPolicy"`
	CPUCFSQuota                 *bool           `json:"cpuCFSQuota"`
	CPUCFSQuotaPeriod           metav1.Duration `json:"cpuCFSQuotaPeriod"`
	ImageGCHighThresholdPercent *int32          `json:"imageGCHighThresholdPercent"`
	ImageGCLowThresholdPercent  *int32          `json:"imageGCLowThresholdPercent"`
	TopologyManagerPolicy       *string         `json:"topologyManagerPolicy"`
	AllowedUnsafeSysctls        []string        `json:"allowedUnsafeSysctls"`
	ContainerLogMaxSize         *string         `json:"containerLogMaxSize"`
	ContainerLogMaxFiles        *int32          `json:"containerLogMaxFiles"`
	PodPidsLimit                *int64          `json:"podPidsLimit"`
	FailSwapOn                  *bool           `json:"failSwapOn"`
}

type Security struct {
	EncryptionAtHost *bool          `json:"encryptionAtHost"`
	TrustedLaunch    *TrustedLaunch `json:"trustedLaunch"`
}

type TrustedLaunch struct {
	VTPM       *bool `json:"vtpm"`
	SecureBoot *bool `json:"secureBoot"`
}

type LocalDNS struct {
	Mode             string                 `json:"mode"`
	VnetDNSOverrides []LocalDNSZoneOverride `json:"vnetDNSOverrides"`
	KubeDNSOverrides []LocalDNSZoneOverride `json:"kubeDNSOverrides"`
}

type LocalDNSZoneOverride struct {
	Zone               string                     `json:"zone"`
	QueryLogging       string                     `json:"queryLogging"`
	Protocol           string                     `json:"protocol"`
	ForwardDestination string                     `json:"forwardDestination"`
	ForwardPolicy      string                     `json:"forwardPolicy"`
	MaxConcurrent      *int32                     `json:"maxConcurrent"`
	CacheDuration      karpenter.NillableDuration `json:"cacheDuration"`
	ServeStaleDuration karpenter.NillableDuration `json:"serveStaleDuration"`
	ServeStale         string                     `json:"serveStale"`
}

type GPU struct {
	Mode *string `json:"mode"`
}

type ArtifactStreaming struct {
	Enabled *bool `json:"enabled"`
}

type LinuxOSConfiguration struct {
	SwapFileSize               *string              `json:"swapFileSize"`
	Sysctls                    *SysctlConfiguration `json:"sysctls"`
	TransparentHugePageDefrag  *string              `json:"transparentHugePageDefrag"`
	TransparentHugePageEnabled *string              `json:"transparentHugePageEnabled"`
}

type SysctlConfiguration struct {
	FsAioMaxNr                     *int32  `json:"fsAioMaxNr"`
	FsFileMax                      *int32  `json:"fsFileMax"`
	FsInotifyMaxUserWatches        *int32  `json:"fsInotifyMaxUserWatches"`
	FsNrOpen                       *int32  `json:"fsNrOpen"`
	KernelThreadsMax               *int32  `json:"kernelThreadsMax"`
	NetCoreNetdevMaxBacklog        *int32  `json:"netCoreNetdevMaxBacklog"`
	NetCoreOptmemMax               *int32  `json:"netCoreOptmemMax"`
	NetCoreRmemDefault             *int32  `json:"netCoreRmemDefault"`
	NetCoreRmemMax                 *int32  `json:"netCoreRmemMax"`
	NetCoreSomaxconn               *int32  `json:"netCoreSomaxconn"`
	NetCoreWmemDefault             *int32  `json:"netCoreWmemDefault"`
	NetCoreWmemMax                 *int32  `json:"netCoreWmemMax"`
	NetIPv4IPLocalPortRange        *string `json:"netIPv4IPLocalPortRange"`
	NetIPv4NeighDefaultGcThresh1   *int32  `json:"netIPv4NeighDefaultGcThresh1"`
	NetIPv4NeighDefaultGcThresh2   *int32  `json:"netIPv4NeighDefaultGcThresh2"`
	NetIPv4NeighDefaultGcThresh3   *int32  `json:"netIPv4NeighDefaultGcThresh3"`
	NetIPv4TCPFinTimeout           *int32  `json:"netIPv4TCPFinTimeout"`
	NetIPv4TCPKeepaliveProbes      *int32  `json:"netIPv4TCPKeepaliveProbes"`
	NetIPv4TCPKeepaliveTime        *int32  `json:"netIPv4TCPKeepaliveTime"`
	NetIPv4TCPMaxSynBacklog        *int32  `json:"netIPv4TCPMaxSynBacklog"`
	NetIPv4TCPMaxTwBuckets         *int32  `json:"netIPv4TCPMaxTwBuckets"`
	NetIPv4TCPTwReuse              *bool   `json:"netIPv4TCPTwReuse"`
	NetIPv4TCPKeepaliveIntvl       *int32  `json:"netIPv4TCPKeepaliveIntvl"`
	NetNetfilterNfConntrackBuckets *int32  `json:"netNetfilterNfConntrackBuckets"`
	NetNetfilterNfConntrackMax     *int32  `json:"netNetfilterNfConntrackMax"`
	VMMaxMapCount                  *int32  `json:"vmMaxMapCount"`
	VMSwappiness                   *int32  `json:"vmSwappiness"`
	VMVfsCachePressure             *int32  `json:"vmVfsCachePressure"`
}
