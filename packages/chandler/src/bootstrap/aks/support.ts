/**
 * Which fields of a node class cannot take effect in a provision mode. A field that would be accepted and then
 * ignored is refused here instead, with what to do about it. The validation of node classes puts it into a
 * condition; a render refuses it too, so that no path leads around.
 */
import { DurationError, parseDuration } from '@chandler/kube';
import type { AKSNodeClassSpec } from '../../api/index.ts';
import { BootstrapError, type BootstrapMode } from '../bootstrapper.ts';
import { sizeInMiB } from './byte-size.ts';
import { DEFAULT_GC_HIGH, DEFAULT_GC_LOW } from './kubelet-flags.table.ts';

export type RefusalCode = 'unsupportedInMode' | 'invalidValue';

export interface UnsupportedField {
  readonly code: RefusalCode;
  /** `spec.localDNS.mode`. */
  readonly path: string;
  /** What is wrong and what to do, without the path. */
  readonly message: string;
}

/** All of them, in the order of the fields; none means that everything in the spec takes effect. */
export function unsupportedFields(
  spec: AKSNodeClassSpec | undefined,
  mode: BootstrapMode,
): readonly UnsupportedField[] {
  return RULES.filter((rule) => rule.modes === 'all' || rule.modes === mode).flatMap((rule) => {
    const message = rule.refuse(spec ?? {});
    return message === undefined ? [] : [{ code: rule.code, path: rule.path, message }];
  });
}

/** @throws {BootstrapError} for the first one. */
export function refuseUnsupported(spec: AKSNodeClassSpec, mode: BootstrapMode): void {
  const [first] = unsupportedFields(spec, mode);
  if (first === undefined) return;
  throw new BootstrapError(first.code, `${first.path}: ${first.message}`, { path: first.path });
}

// ---------------------------------------------------------------------------------------------------

interface SupportRule {
  readonly code: RefusalCode;
  readonly path: string;
  readonly modes: BootstrapMode | 'all';
  /** Why not, or nothing. */
  refuse(spec: AKSNodeClassSpec): string | undefined;
}

const MS = 1_000_000n;
const ELSEWHERE =
  'run the controller with PROVISION_MODE=bootstrappingclient, where the AKS server configures it';

const RULES: readonly SupportRule[] = [
  {
    code: 'unsupportedInMode',
    path: 'spec.localDNS.mode',
    modes: 'aksscriptless',
    // Preferred means "where it can be had": it resolves to off here, and the status says so.
    refuse: ({ localDNS }) =>
      localDNS?.mode === 'Required'
        ? `Required is not supported in mode aksscriptless, because its images have no DNS cache settings; use Preferred or Disabled, or ${ELSEWHERE}`
        : undefined,
  },
  {
    code: 'unsupportedInMode',
    path: 'spec.artifactStreaming.enabled',
    modes: 'aksscriptless',
    refuse: ({ artifactStreaming }) =>
      artifactStreaming?.enabled === true
        ? `true has no effect in mode aksscriptless; remove it, or ${ELSEWHERE}`
        : undefined,
  },
  {
    code: 'invalidValue',
    path: 'spec.kubelet.cpuCFSQuotaPeriod',
    modes: 'all',
    refuse: ({ kubelet }) => quotaPeriodProblem(kubelet?.cpuCFSQuotaPeriod),
  },
  {
    code: 'invalidValue',
    path: 'spec.kubelet.allowedUnsafeSysctls',
    modes: 'all',
    // The kubelet's flags are split at blanks; a name with one would become a flag of its own.
    refuse: ({ kubelet }) => {
      const wrong = kubelet?.allowedUnsafeSysctls?.find((name) => !SYSCTL_PATTERN.test(name));
      return wrong === undefined
        ? undefined
        : `${JSON.stringify(wrong)} is not a sysctl; use a name such as net.core.somaxconn, or a prefix such as net.*`;
    },
  },
  {
    code: 'invalidValue',
    path: 'spec.kubelet.imageGCHighThresholdPercent',
    modes: 'aksscriptless',
    // The kind compares the two only when both are there; the kubelet compares them always.
    refuse: ({ kubelet }) => {
      const high = kubelet?.imageGCHighThresholdPercent ?? DEFAULT_GC_HIGH;
      const low = kubelet?.imageGCLowThresholdPercent ?? DEFAULT_GC_LOW;
      if (high > low) return undefined;
      return `must be greater than imageGCLowThresholdPercent, but ${high} is not greater than ${low}; set both (defaults: ${DEFAULT_GC_HIGH} and ${DEFAULT_GC_LOW})`;
    },
  },
  {
    code: 'invalidValue',
    path: 'spec.linuxOSConfig.swapFileSize',
    modes: 'all',
    refuse: ({ linuxOSConfig }) => {
      const size = linuxOSConfig?.swapFileSize;
      if (size === undefined || sizeInMiB(size) <= MAX_SWAP_MIB) return undefined;
      return `${size} exceeds the maximum size of an OS disk (2048 GB); use a smaller size`;
    },
  },
];

const SYSCTL_PATTERN = /^[a-z0-9]([-_a-z0-9]*[a-z0-9])?([./][a-z0-9]([-_a-z0-9]*[a-z0-9])?)*(\.?\*|[./]\*)?$/;
const MAX_SWAP_MIB = 2048 * 1024;

function quotaPeriodProblem(period: string | undefined): string | undefined {
  if (period === undefined) return undefined;
  try {
    const ns = parseDuration(period);
    if (ns >= MS && ns <= 1000n * MS) return undefined;
    return `must be between 1ms and 1s, got ${period}`;
  } catch (error) {
    if (error instanceof DurationError)
      return `${JSON.stringify(period)} is not a duration; use a value such as 100ms`;
    throw error;
  }
}
