/**
 * Logical facts of an installation, each with every value that a source gives for it. Two values that differ are a finding
 * of the check that owns the fact; which of them is right is decided by the strength of the source.
 */
import { type Evidence, SOURCES, type Source } from '../model/finding.ts';
import type { Place } from '../model/place.ts';
import { comparePlaces } from '../model/place.ts';

export const FACT_NAMES = [
  'clusterName',
  'region',
  'accountId',
  'endpoint',
  'controllerRoleArn',
  'controllerRoleName',
  'nodeRole',
  'instanceProfile',
  'discoveryTag',
  'namespace',
  'serviceAccount',
  'queueName',
  'kubernetesVersion',
  'kmsKeyArn',
] as const;
export type FactName = (typeof FACT_NAMES)[number];

export interface FactValue {
  /** Undefined: the source sets it, and its value is not known (`why`). */
  readonly value?: string;
  readonly why?: string;
  readonly source: Source;
  /** Whose it is, where Terraform installs it: values of the chart and manifests use the infrastructure, and are not part of it. */
  readonly side?: 'values' | 'manifest';
  /** What was read: `aws_eks_cluster.this.name`. */
  readonly what: string;
  readonly at: Place;
}

export interface Facts {
  /** Strongest source first, then by place. */
  all(name: FactName): readonly FactValue[];
  /** From these sources only. Values and manifests that Terraform installs are `values` and `manifest`. */
  from(name: FactName, ...sources: readonly Source[]): readonly FactValue[];
}

/** What live accounts, states, plans and Terraform files say: the infrastructure as opposed to its users. */
export const INFRASTRUCTURE: readonly Source[] = ['live', 'state', 'plan', 'terraform'];

export function factsOf(found: ReadonlyMap<FactName, readonly FactValue[]>): Facts {
  const sorted = new Map(
    [...found].map(([name, values]) => [
      name,
      values.toSorted(
        (a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source) || comparePlaces(a.at, b.at),
      ),
    ]),
  );
  const all = (name: FactName) => sorted.get(name) ?? [];
  return {
    all,
    from: (name, ...sources) => all(name).filter(({ source, side }) => sources.includes(side ?? source)),
  };
}

/** Values that are known, each once. */
export function knownValues(values: readonly FactValue[]): readonly string[] {
  return [...new Set(values.flatMap(({ value }) => (value === undefined ? [] : [value])))];
}

export function evidenceOf({ source, what, value, why, at }: FactValue): Evidence {
  return {
    source,
    what,
    at,
    ...(value === undefined ? {} : { value }),
    ...(why === undefined ? {} : { note: `not known: it ${why}` }),
  };
}
