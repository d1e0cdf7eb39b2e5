/** Where our user data differs from upstream's on purpose: which field of which input, and why. */
export interface WantedDifference {
  readonly name: string;
  readonly input: RegExp;
  readonly field: RegExp;
  /** What upstream has; anything when absent. */
  readonly upstream?: string;
  readonly why: string;
}

export const WANTED: readonly WantedDifference[] = [
  {
    name: 'no empty objects',
    input: /^al2023-/,
    field: /^part\[\d\]\.(metadata|spec\.containerd|spec\.instance\.localStorage)$/,
    upstream: '{}',
    why: 'empty objects of a NodeConfig say nothing, and user data is short',
  },
  {
    name: 'durations as written',
    input: /^al2023-kubelet/,
    field: /evictionSoftGracePeriod/,
    why: 'AL2023 gets the settings of the class unchanged; 2m and 2m0s are the same duration',
  },
  {
    name: 'headers of own MIME parts',
    input: /^al2023-mime/,
    field: /content-transfer-encoding$/,
    why: 'without the header, a part in base64 is run as text and fails',
  },
  {
    name: 'a script is a script',
    input: /^al2023-script-of-comments$/,
    field: /^part\[0\]\.content-type$/,
    why: 'a text that starts with #! is a script even if it is also YAML; nodeadm rejects it as a NodeConfig',
  },
  {
    name: 'cloud-config is cloud-config',
    input: /^al2023-cloud-config$/,
    field: /^part\[0\]\./,
    why: 'a text that starts with #cloud-config is for cloud-init; nodeadm rejects it as a NodeConfig',
  },
  {
    name: 'any kubelet setting',
    input: /^al2023-any-kubelet$/,
    field: /kubelet\.config\.shutdownGracePeriod$/,
    why: 'nodeadm passes every setting on; v1.14.1 knows twelve and drops others, later versions do not',
  },
  {
    name: 'settings of newer Bottlerockets',
    input: /^bottlerocket-own/,
    field: /^settings\.kubernetes\.future-key$/,
    why: 'a setting that only the image knows is kept instead of dropped',
  },
  {
    name: 'one PowerShell block',
    input: /^windows2019-block$/,
    field: /^before$/,
    why: 'a block inside of a block ends the outer one before the node has joined; the tags are removed',
  },
];
