/**
 * What is wrong with the `kubelet` map of an EC2NodeClass. Its CRD leaves the map open, as upstream's does, so the controller
 * checks it and sets the condition ValidationSucceeded. Expressions over the instance type (upstream's alpha gate
 * NodeClassCEL) must compile, and need the gate; whether they have a value for every type, `validation-part.ts` asks.
 */
import { isDuration, isQuantity, parseDuration, parseQuantity } from '@chandler/kube';

import {
  type AmiFamily,
  compileExpression,
  ExpressionError,
  kubeletExpressions,
} from '../instance-types/index.ts';
import { kubeletTypeProblems } from './kubelet-types.ts';

export interface KubeletProblem {
  /** Of the condition ValidationSucceeded. */
  readonly reason: KubeletReason;
  /** `spec.kubelet.maxPods`. */
  readonly field: string;
  readonly message: string;
}

export type KubeletReason =
  | 'InvalidKubeletConfiguration'
  | 'KubeletExpressionsDisabled'
  | 'KubeletExpressionInvalid'
  | 'UnsupportedKubeletConfiguration';

export interface KubeletContext {
  /** Whether the gate NodeClassCEL is open. */
  readonly withExpressions?: boolean;
  /** User data of the node class, or images of one's own, may configure the kubelet, too. */
  readonly hasOwnSettings?: boolean;
}

/** @returns all problems; the first one gives the reason of the condition. */
export function kubeletProblems(
  kubelet: object | null | undefined,
  amiFamily: AmiFamily,
  { withExpressions = false, hasOwnSettings = false }: KubeletContext = {},
): readonly KubeletProblem[] {
  if (kubelet === undefined || kubelet === null) return [];
  const map = kubelet as KubeletMap;
  // An expression is no number of pods, and no type error either.
  const decoded = typeof map['maxPods'] === 'string' ? { ...map, maxPods: 0 } : map;
  const defaults = amiFamily === 'Custom' || hasOwnSettings ? {} : GC_DEFAULTS;
  const invalid = [
    ...kubeletTypeProblems(decoded),
    ...RULES.flatMap((rule) => rule(map)),
    ...imageGcProblems(map, defaults),
  ];
  return [
    ...invalid.map(problem('InvalidKubeletConfiguration')),
    ...(withExpressions
      ? invalidExpressions(map).map(problem('KubeletExpressionInvalid'))
      : expressionFields(map).map(problem('KubeletExpressionsDisabled'))),
    ...unsupported(map, amiFamily).map(problem('UnsupportedKubeletConfiguration')),
  ];
}

/** What has no effect although nothing refuses it; undefined when there is nothing to say. */
export function kubeletWarning(kubelet: object | null | undefined, amiFamily: AmiFamily): string | undefined {
  const fields = Object.keys(kubelet ?? {}).sort();
  if (amiFamily !== 'Custom' || fields.length === 0) return undefined;
  return (
    `spec.kubelet (${fields.join(', ')}) is not written to the user data of images of the family Custom; it only changes ` +
    'what nodes are expected to hold. Configure the kubelet in spec.userData, or use another amiFamily'
  );
}

// ---------------------------------------------------------------------------------------------------------------

type KubeletMap = Readonly<Record<string, unknown>>;

interface Finding {
  readonly field: string;
  readonly message: string;
}

type KubeletRule = (map: KubeletMap) => readonly Finding[];

const SIGNALS = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
];
const RESERVABLE = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

/** Fields that every family writes to its user data. */
const MANAGED = new Set([
  'clusterDNS',
  'maxPods',
  'podsPerCore',
  'systemReserved',
  'kubeReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'cpuCFSQuota',
]);

/** Of the kubelet, since Kubernetes 1.4. */
const GC_DEFAULTS: GcThresholds = { high: 85, low: 80 };

interface GcThresholds {
  readonly high?: number;
  readonly low?: number;
}

const RULES: readonly KubeletRule[] = [
  (map) =>
    set(map['registerWithTaints'])
      ? [{ field: 'registerWithTaints', message: 'is not supported; set taints on the NodePool' }]
      : [],
  ...['evictionHard', 'evictionSoft', 'evictionMinimumReclaim'].map(
    (field): KubeletRule =>
      (map) => [...wrongKeys(map, field, SIGNALS), ...wrongValues(map, field, thresholdProblem)],
  ),
  (map) => [
    ...wrongKeys(map, 'evictionSoftGracePeriod', SIGNALS),
    ...wrongValues(map, 'evictionSoftGracePeriod', graceProblem),
  ],
  (map) => [
    ...unpaired(map, 'evictionSoft', 'evictionSoftGracePeriod'),
    ...unpaired(map, 'evictionSoftGracePeriod', 'evictionSoft'),
  ],
  ...['kubeReserved', 'systemReserved'].map(
    (field): KubeletRule =>
      (map) => [
        ...wrongKeys(map, field, RESERVABLE),
        ...wrongValues(map, field, (text) => (text.startsWith('-') ? 'must not be negative' : undefined)),
      ],
  ),
  (map) =>
    ['podsPerCore', 'evictionMaxPodGracePeriod', 'maxPods'].flatMap((field) =>
      typeof map[field] === 'number' && map[field] < 0 ? [{ field, message: 'must not be negative' }] : [],
    ),
];

function problem(reason: KubeletReason): (finding: Finding) => KubeletProblem {
  return ({ field, message }) => ({
    reason,
    field: field === '' ? 'spec.kubelet' : `spec.kubelet.${field}`,
    message,
  });
}

function set(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function entries(map: KubeletMap, field: string): readonly (readonly [string, unknown])[] {
  const value = map[field];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function wrongKeys(map: KubeletMap, field: string, allowed: readonly string[]): readonly Finding[] {
  return entries(map, field)
    .filter(([key]) => !allowed.includes(key))
    .map(([key]) => ({ field: `${field}.${key}`, message: `is not one of ${allowed.join(', ')}` }));
}

/** Values that are no strings are type errors, which are reported already. */
function wrongValues(
  map: KubeletMap,
  field: string,
  problemOf: (text: string) => string | undefined,
): readonly Finding[] {
  return entries(map, field).flatMap(([key, value]) => {
    const message = typeof value === 'string' ? problemOf(value) : undefined;
    return message === undefined
      ? []
      : [{ field: `${field}.${key}`, message: `${message}: ${JSON.stringify(value)}` }];
  });
}

function thresholdProblem(text: string): string | undefined {
  if (text.endsWith('%')) {
    const percent = /^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN;
    return percent >= 0 && percent <= 100 ? undefined : 'must be a percentage from 0% to 100%';
  }
  if (!isQuantity(text)) return 'must be a percentage or a quantity';
  return parseQuantity(text).sign() < 0 ? 'must not be negative' : undefined;
}

function graceProblem(text: string): string | undefined {
  if (!isDuration(text)) return 'must be a duration such as 1m30s';
  return parseDuration(text) < 0n ? 'must not be negative' : undefined;
}

function unpaired(map: KubeletMap, field: string, other: string): readonly Finding[] {
  const partners = new Set(entries(map, other).map(([key]) => key));
  return entries(map, field)
    .filter(([key]) => !partners.has(key))
    .map(([key]) => ({ field: `${field}.${key}`, message: `has no counterpart in ${other}` }));
}

/** A kubelet does not start with a high threshold that is no higher than the low one, also where one of them is its default. */
function imageGcProblems(map: KubeletMap, defaults: GcThresholds): readonly Finding[] {
  const high = map['imageGCHighThresholdPercent'] ?? undefined;
  const low = map['imageGCLowThresholdPercent'] ?? undefined;
  const rows = [
    ['imageGCHighThresholdPercent', high],
    ['imageGCLowThresholdPercent', low],
  ] as const;
  const outside = rows
    .filter(([, value]) => typeof value === 'number' && (value < 0 || value > 100))
    .map(([field]) => ({ field, message: 'must be from 0 to 100' }));
  if (outside.length > 0 || (high === undefined && low === undefined)) return outside;
  const [highest, lowest] = [high ?? defaults.high, low ?? defaults.low];
  if (typeof highest !== 'number' || typeof lowest !== 'number' || highest > lowest) return outside;
  const field = 'imageGCHighThresholdPercent';
  if (high === undefined)
    return [
      {
        field: 'imageGCLowThresholdPercent',
        message: `must be less than ${field}, which is ${highest} by default; set both`,
      },
    ];
  const byDefault = low === undefined ? ' by default; set both' : '';
  return [
    { field, message: `must be greater than imageGCLowThresholdPercent, which is ${lowest}${byDefault}` },
  ];
}

function expressionFields(map: KubeletMap): readonly Finding[] {
  const message =
    'is an expression over the instance type, which needs the feature gate NodeClassCEL; open it, or write a number or a quantity';
  return expressionsIn(map).map(([field]) => ({ field, message }));
}

function invalidExpressions(map: KubeletMap): readonly Finding[] {
  return expressionsIn(map).flatMap(([field, text]) => {
    try {
      compileExpression(text);
      return [];
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return [{ field, message: `${JSON.stringify(text)} is no valid expression: ${error.message}` }];
    }
  });
}

/** With their fields. */
function expressionsIn(map: KubeletMap): readonly (readonly [string, string])[] {
  const { maxPods, ...reserved } = kubeletExpressions(map) ?? {};
  return [
    ...(maxPods === undefined ? [] : [['maxPods', maxPods] as const]),
    ...Object.entries(reserved).flatMap(([field, texts]) =>
      Object.entries(texts).map(([key, text]) => [`${field}.${key}`, text] as const),
    ),
  ];
}

/** AL2023 passes every field on; Custom writes none. */
function unsupported(map: KubeletMap, family: AmiFamily): readonly Finding[] {
  if (family === 'AL2023' || family === 'Custom') return [];
  const fields = Object.keys(map).filter((field) => set(map[field]) && field !== 'registerWithTaints');
  const unmanaged = fields.filter(
    (field) => !MANAGED.has(field) || (family === 'Bottlerocket' && field === 'podsPerCore'),
  );
  const dns = map['clusterDNS'];
  return [
    ...unmanaged.map((field) => ({ field, message: `is not supported by the AMI family ${family}` })),
    ...(Array.isArray(dns) && dns.length > 1
      ? [{ field: 'clusterDNS', message: `may have one address only with the AMI family ${family}` }]
      : []),
  ];
}
