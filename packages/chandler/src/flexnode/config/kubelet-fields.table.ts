/**
 * The fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) as of Kubernetes 1.36, and those of its objects. A
 * value of `true` is not looked into. Fields that a later kubelet adds are unknown here, which is a warning only.
 */

export type KubeletFields = { readonly [field: string]: true | KubeletFields };

const plain = (names: string): KubeletFields =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, true as const]),
  );

export const KUBELET_FIELDS: KubeletFields = {
  ...plain(`
    apiVersion kind enableServer staticPodPath podLogsDir syncFrequency fileCheckFrequency httpCheckFrequency staticPodURL
    staticPodURLHeader address port readOnlyPort tlsCertFile tlsPrivateKeyFile tlsCipherSuites tlsCurvePreferences
    tlsMinVersion rotateCertificates serverTLSBootstrap registryPullQPS registryBurst
    imagePullCredentialsVerificationPolicy preloadedImagesVerificationAllowlist eventRecordQPS eventBurst
    enableDebuggingHandlers enableContentionProfiling healthzPort healthzBindAddress oomScoreAdj clusterDomain clusterDNS
    streamingConnectionIdleTimeout nodeStatusUpdateFrequency nodeStatusReportFrequency nodeLeaseDurationSeconds
    imageMinimumGCAge imageMaximumGCAge imageGCHighThresholdPercent imageGCLowThresholdPercent volumeStatsAggPeriod
    kubeletCgroups systemCgroups cgroupRoot cgroupsPerQOS cgroupDriver cpuManagerPolicy singleProcessOOMKill
    cpuManagerPolicyOptions cpuManagerReconcilePeriod memoryManagerPolicy topologyManagerPolicy topologyManagerScope
    topologyManagerPolicyOptions qosReserved runtimeRequestTimeout hairpinMode maxPods podCIDR podPidsLimit resolvConf
    runOnce cpuCFSQuota cpuCFSQuotaPeriod nodeStatusMaxImages maxOpenFiles contentType kubeAPIQPS kubeAPIBurst
    serializeImagePulls maxParallelImagePulls evictionHard evictionSoft evictionSoftGracePeriod
    evictionPressureTransitionPeriod evictionMaxPodGracePeriod evictionMinimumReclaim mergeDefaultEvictionSettings
    podsPerCore enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains iptablesMasqueradeBit
    iptablesDropBit featureGates failSwapOn containerLogMaxSize containerLogMaxFiles containerLogMaxWorkers
    containerLogMonitorInterval configMapAndSecretChangeDetectionStrategy systemReserved kubeReserved reservedSystemCPUs
    showHiddenMetricsForVersion systemReservedCgroup kubeReservedCgroup enforceNodeAllocatable allowedUnsafeSysctls
    volumePluginDir providerID kernelMemcgNotification logging enableSystemLogHandler enableSystemLogQuery
    shutdownGracePeriod shutdownGracePeriodCriticalPods shutdownGracePeriodByPodPriority reservedMemory
    enableProfilingHandler enableDebugFlagsHandler seccompDefault memoryThrottlingFactor memoryReservationPolicy
    registerWithTaints registerNode tracing localStorageCapacityIsolation containerRuntimeEndpoint imageServiceEndpoint
    failCgroupV1
  `),
  authentication: {
    x509: plain('clientCAFile'),
    webhook: plain('enabled cacheTTL'),
    anonymous: plain('enabled'),
  },
  authorization: { mode: true, webhook: plain('cacheAuthorizedTTL cacheUnauthorizedTTL') },
  memorySwap: plain('swapBehavior'),
  crashLoopBackOff: plain('maxContainerRestartPeriod'),
  userNamespaces: plain('idsPerPod'),
};
