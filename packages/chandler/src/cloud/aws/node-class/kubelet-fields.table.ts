/**
 * The fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) and their types, as strict decoding checks them.
 * Source: k8s.io/kubelet v0.36.3, of 2026-11.
 */
export type FieldType =
  | 'text'
  | 'flag'
  | 'integer'
  | 'number'
  | 'duration'
  /** In nanoseconds, where it is a number. */
  | 'durationOrInteger'
  | 'amount'
  | { readonly listOf: FieldType }
  | { readonly mapOf: FieldType }
  | FieldTypes;

export interface FieldTypes {
  readonly fields: Readonly<Record<string, FieldType>>;
}

const TEXTS: FieldType = { listOf: 'text' };
const TEXT_MAP: FieldType = { mapOf: 'text' };

export const KUBELET_FIELDS: FieldTypes = {
  fields: {
    ...all(
      'text',
      `
    apiVersion kind staticPodPath podLogsDir staticPodURL address tlsCertFile tlsPrivateKeyFile
    tlsMinVersion imagePullCredentialsVerificationPolicy healthzBindAddress clusterDomain kubeletCgroups
    systemCgroups cgroupRoot cgroupDriver cpuManagerPolicy memoryManagerPolicy topologyManagerPolicy
    topologyManagerScope hairpinMode podCIDR resolvConf contentType containerLogMaxSize
    configMapAndSecretChangeDetectionStrategy reservedSystemCPUs showHiddenMetricsForVersion
    systemReservedCgroup kubeReservedCgroup volumePluginDir providerID memoryReservationPolicy
    containerRuntimeEndpoint imageServiceEndpoint
      `,
    ),
    ...all(
      'flag',
      `
    enableServer rotateCertificates serverTLSBootstrap enableDebuggingHandlers enableContentionProfiling
    cgroupsPerQOS singleProcessOOMKill runOnce cpuCFSQuota serializeImagePulls mergeDefaultEvictionSettings
    enableControllerAttachDetach protectKernelDefaults makeIPTablesUtilChains failSwapOn
    kernelMemcgNotification enableSystemLogHandler enableSystemLogQuery enableProfilingHandler
    enableDebugFlagsHandler seccompDefault registerNode localStorageCapacityIsolation failCgroupV1
      `,
    ),
    ...all(
      'integer',
      `
    port readOnlyPort registryPullQPS registryBurst eventRecordQPS eventBurst healthzPort oomScoreAdj
    nodeLeaseDurationSeconds imageGCHighThresholdPercent imageGCLowThresholdPercent maxPods podPidsLimit
    nodeStatusMaxImages maxOpenFiles kubeAPIQPS kubeAPIBurst maxParallelImagePulls evictionMaxPodGracePeriod
    podsPerCore iptablesMasqueradeBit iptablesDropBit containerLogMaxFiles containerLogMaxWorkers
      `,
    ),
    ...all(
      'number',
      `
    memoryThrottlingFactor
      `,
    ),
    ...all(
      'duration',
      `
    syncFrequency fileCheckFrequency httpCheckFrequency streamingConnectionIdleTimeout
    nodeStatusUpdateFrequency nodeStatusReportFrequency imageMinimumGCAge imageMaximumGCAge
    volumeStatsAggPeriod cpuManagerReconcilePeriod runtimeRequestTimeout cpuCFSQuotaPeriod
    evictionPressureTransitionPeriod containerLogMonitorInterval shutdownGracePeriod
    shutdownGracePeriodCriticalPods
      `,
    ),
    ...all(
      TEXTS,
      `
    tlsCipherSuites preloadedImagesVerificationAllowlist clusterDNS enforceNodeAllocatable
    allowedUnsafeSysctls
      `,
    ),
    ...all(
      TEXT_MAP,
      `
    cpuManagerPolicyOptions topologyManagerPolicyOptions qosReserved evictionHard evictionSoft
    evictionSoftGracePeriod evictionMinimumReclaim systemReserved kubeReserved
      `,
    ),
    staticPodURLHeader: { mapOf: TEXTS },
    tlsCurvePreferences: { listOf: 'integer' },
    featureGates: { mapOf: 'flag' },
    authentication: {
      fields: {
        x509: { fields: { clientCAFile: 'text' } },
        webhook: { fields: { enabled: 'flag', cacheTTL: 'duration' } },
        anonymous: { fields: { enabled: 'flag' } },
      },
    },
    authorization: {
      fields: {
        mode: 'text',
        webhook: { fields: { cacheAuthorizedTTL: 'duration', cacheUnauthorizedTTL: 'duration' } },
      },
    },
    memorySwap: { fields: { swapBehavior: 'text' } },
    crashLoopBackOff: { fields: { maxContainerRestartPeriod: 'duration' } },
    userNamespaces: { fields: { idsPerPod: 'integer' } },
    shutdownGracePeriodByPodPriority: {
      listOf: { fields: { priority: 'integer', shutdownGracePeriodSeconds: 'integer' } },
    },
    // Amounts may be written as numbers.
    reservedMemory: { listOf: { fields: { numaNode: 'integer', limits: { mapOf: 'amount' } } } },
    registerWithTaints: {
      listOf: { fields: { key: 'text', value: 'text', effect: 'text', timeAdded: 'text' } },
    },
    tracing: { fields: { endpoint: 'text', samplingRatePerMillion: 'integer' } },
    logging: {
      fields: {
        format: 'text',
        flushFrequency: 'durationOrInteger',
        verbosity: 'integer',
        vmodule: { listOf: { fields: { filePattern: 'text', verbosity: 'integer' } } },
        options: {
          fields: {
            text: { fields: { splitStream: 'flag', infoBufferSize: 'amount' } },
            json: { fields: { splitStream: 'flag', infoBufferSize: 'amount' } },
          },
        },
      },
    },
  },
};

function all(type: FieldType, names: string): Readonly<Record<string, FieldType>> {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type]),
  );
}
