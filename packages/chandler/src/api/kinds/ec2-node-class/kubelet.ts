/**
 * The kubelet settings of an EC2NodeClass: an open map. Any field may be given; what every release of upstream's CRD rejects
 * is rejected here. The controller validates the rest (`cloud/aws/node-class`), since it depends on the image family and on
 * the kubelet's version.
 */
import {
  flag,
  integer,
  intOrString,
  list,
  map,
  openObject,
  optional,
  type Rule,
  type Static,
  text,
} from '../../schema/schema.ts';
import { GO_DURATION } from '../patterns.ts';

const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];
const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/** A percentage up to 100, or a quantity without a minus. */
const THRESHOLD =
  '^((\\d{1,2}(\\.\\d+)?|100(\\.0+)?)%|\\+?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?)$';

export const kubelet = openObject(
  'Settings of the kubelet, as in its own configuration file. Fields that are not listed here are passed through unchanged.',
  {
    clusterDNS: optional(list('The DNS servers that pods use.', text('An IP address.'))),
    maxPods: optional(
      intOrString(
        'The maximum number of pods of a node: a number, or an expression over the instance type.',
        {
          minimum: 0,
          maxLength: 1024,
        },
      ),
    ),
    podsPerCore: optional(
      integer('The maximum number of pods per CPU; maxPods also applies.', { minimum: 0 }),
    ),
    systemReserved: optional(
      reserved('systemReserved', 'The resources that are reserved for the operating system.'),
    ),
    kubeReserved: optional(
      reserved('kubeReserved', 'The resources that are reserved for the kubelet and the container runtime.'),
    ),
    evictionHard: optional(
      thresholds('evictionHard', 'Hard eviction thresholds; below them pods are evicted immediately.'),
    ),
    evictionSoft: optional(
      thresholds(
        'evictionSoft',
        'Soft eviction thresholds; below them pods are evicted after a grace period.',
      ),
    ),
    evictionSoftGracePeriod: optional(
      map(
        'The grace period of each threshold of evictionSoft.',
        text('A duration.', { pattern: GO_DURATION, maxLength: 64 }),
        { maxProperties: 10, rules: [keysOf('evictionSoftGracePeriod', SIGNALS)] },
      ),
    ),
    evictionMaxPodGracePeriod: optional(
      integer('The maximum termination grace period of a pod in a soft eviction, in seconds.'),
    ),
    imageGCHighThresholdPercent: optional(
      integer('Disk usage above which images are always cleaned up.', { minimum: 0, maximum: 100 }),
    ),
    imageGCLowThresholdPercent: optional(
      integer('Disk usage below which images are never cleaned up.', { minimum: 0, maximum: 100 }),
    ),
    cpuCFSQuota: optional(flag('Whether CPU limits of containers are enforced.')),
  },
  {
    rules: [
      {
        message: 'imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent',
        rule: '!has(self.imageGCHighThresholdPercent) || !has(self.imageGCLowThresholdPercent) || self.imageGCHighThresholdPercent > self.imageGCLowThresholdPercent',
      },
      paired('evictionSoft', 'evictionSoftGracePeriod'),
      paired('evictionSoftGracePeriod', 'evictionSoft'),
    ],
  },
);

/** The settings this side knows; others are passed on untouched. */
export type EC2KubeletConfiguration = Static<typeof kubelet>;

// ---------------------------------------------------------------------------------------------------------------

function reserved(field: string, description: string) {
  const amount = text('A quantity, or an expression over the instance type.', { maxLength: 1024 });
  return map(description, amount, {
    maxProperties: 10,
    rules: [
      keysOf(field, RESERVABLE),
      {
        message: `${field} value cannot be a negative resource quantity`,
        rule: "self.all(k, !self[k].startsWith('-'))",
      },
    ],
  });
}

function thresholds(field: string, description: string) {
  const threshold = text('A percentage or a quantity.', { pattern: THRESHOLD, maxLength: 64 });
  return map(description, threshold, { maxProperties: 10, rules: [keysOf(field, SIGNALS)] });
}

function keysOf(field: string, keys: readonly string[]): Rule {
  const names = `[${keys.map((key) => `'${key}'`).join(',')}]`;
  return { message: `valid keys for ${field} are ${names}`, rule: `self.all(k, k in ${names})` };
}

function paired(field: string, other: string): Rule {
  return {
    message: `${field} OwnerKey does not have a matching ${other}`,
    rule: `!has(self.${field}) || self.${field}.all(k, has(self.${other}) && k in self.${other})`,
  };
}
