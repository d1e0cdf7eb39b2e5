/**
 * The kubelet settings that AKS lets a node class choose.
 */
import { choice, flag, integer, list, object, optional, type Static, text } from '../../schema/schema.ts';
import { GO_DURATION, SIZE } from '../patterns.ts';

export const kubelet = object(
  'Settings of the kubelet.',
  {
    cpuManagerPolicy: optional(
      choice('Whether containers with integer CPU requests get exclusive CPUs.', ['none', 'static'], {
        default: 'none',
      }),
    ),
    cpuCFSQuota: optional(flag('Whether CPU limits of containers are enforced.', { default: true })),
    cpuCFSQuotaPeriod: optional(
      text('The period over which CPU limits are enforced.', { pattern: GO_DURATION, default: '100ms' }),
    ),
    imageGCHighThresholdPercent: optional(
      integer('Disk usage above which images are always cleaned up.', { minimum: 0, maximum: 100 }),
    ),
    imageGCLowThresholdPercent: optional(
      integer('Disk usage below which images are never cleaned up.', { minimum: 0, maximum: 100 }),
    ),
    topologyManagerPolicy: optional(
      choice(
        'How strictly the CPUs and devices of a container are aligned on one NUMA node.',
        ['restricted', 'best-effort', 'none', 'single-numa-node'],
        { default: 'none' },
      ),
    ),
    allowedUnsafeSysctls: optional(
      list(
        'Sysctls outside the safe set that pods may use; patterns end in `*`.',
        text('A sysctl or a pattern.'),
      ),
    ),
    containerLogMaxSize: optional(
      text('The maximum size of a container log before it is rotated.', { pattern: SIZE, default: '50Mi' }),
    ),
    containerLogMaxFiles: optional(
      integer('The maximum number of log files of a container.', { minimum: 2, default: 5 }),
    ),
    podPidsLimit: optional(integer('The maximum number of processes of a pod.', { format: 'int64' })),
    failSwapOn: optional(flag('Whether the kubelet refuses to start on a VM with swap.')),
  },
  {
    rules: [
      {
        message: 'imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent',
        rule: '!has(self.imageGCHighThresholdPercent) || !has(self.imageGCLowThresholdPercent) || self.imageGCHighThresholdPercent > self.imageGCLowThresholdPercent',
      },
    ],
  },
);
export type AKSKubeletConfiguration = Static<typeof kubelet>;
