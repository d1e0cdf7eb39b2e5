/**
 * Reads a catalogue file: a list of instance types, in the engine's own form or in the shorter one that
 * docs/simulate.md describes (labels as a map, zone and capacity type of an offering as plain fields).
 */
import { fieldText } from '@chandler/kube';
import {
  CapacityType,
  type JsonSchema,
  KarpenterLabel,
  KubernetesLabel,
  type ResourceList,
} from '../../api/index.ts';
import type { InstanceType, LabelRequirement, Offering, Overhead } from '../../scheduling/index.ts';

import { Failure } from '../verb.ts';
import { checkItem } from './check-shape.ts';
import { type FieldPath, readDocuments, type Source } from './documents.ts';
import { type Problem, problemText } from './problem.ts';

/** @throws {Failure} with every field that is wrong. */
export function readCatalogue(source: Source): InstanceType[] {
  const { types, problems } = parseCatalogue(source);
  if (problems.length === 0 && types.length === 0) {
    throw new Failure(`${source.name}: the catalogue is empty; instanceTypes must have at least one entry`);
  }
  if (problems.length > 0) {
    throw new Failure(
      `the catalogue is invalid:\n${problems.map((one) => `  ${problemText(one)}`).join('\n')}`,
    );
  }
  return types;
}

// ---------------------------------------------------------------------------------------------------------------

interface WrittenType {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string | readonly string[]>>;
  readonly requirements?: readonly LabelRequirement[];
  readonly capacity: ResourceList;
  readonly overhead?: Overhead;
  readonly volumeAttachmentLimits?: Readonly<Record<string, number>>;
  readonly offerings: readonly WrittenOffering[];
}

interface WrittenOffering extends Omit<Offering, 'requirements'> {
  readonly zone?: string;
  readonly capacityType?: string;
  readonly requirements?: readonly LabelRequirement[];
}

const TEXT: JsonSchema = { type: 'string' };
const QUANTITIES: JsonSchema = {
  type: 'object',
  additionalProperties: { 'x-kubernetes-int-or-string': true, pattern: 'quantity' },
};
const REQUIREMENTS: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['key', 'operator'],
    properties: {
      key: TEXT,
      operator: TEXT,
      values: { type: 'array', items: TEXT },
      minValues: { type: 'integer' },
    },
  },
};
const OVERHEAD: JsonSchema = {
  type: 'object',
  properties: { kubeReserved: QUANTITIES, systemReserved: QUANTITIES, evictionThreshold: QUANTITIES },
};
const OFFERING: JsonSchema = {
  type: 'object',
  required: ['price'],
  properties: {
    zone: TEXT,
    capacityType: { type: 'string', enum: Object.values(CapacityType) },
    price: { type: 'number', minimum: 0 },
    available: { type: 'boolean' },
    launchable: { type: 'boolean' },
    regional: { type: 'boolean' },
    requirements: REQUIREMENTS,
    reservation: {
      type: 'object',
      required: ['id', 'capacity'],
      properties: { id: TEXT, capacity: { type: 'integer', minimum: 0 } },
    },
    capacityOverride: QUANTITIES,
    overheadOverride: OVERHEAD,
  },
};
const TYPE: JsonSchema = {
  type: 'object',
  required: ['name', 'capacity', 'offerings'],
  properties: {
    name: { type: 'string', minLength: 1 },
    labels: { type: 'object', additionalProperties: {} },
    requirements: REQUIREMENTS,
    capacity: { ...QUANTITIES, required: ['cpu', 'memory'] },
    overhead: OVERHEAD,
    volumeAttachmentLimits: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
    offerings: { type: 'array', items: OFFERING, minItems: 1 },
  },
};

function parseCatalogue(source: Source): { types: InstanceType[]; problems: Problem[] } {
  const { found, problems: broken } = readDocuments(source);
  const problems = [...broken];
  const types: InstanceType[] = [];
  for (const { value, origin } of found) {
    const listed = (value as { instanceTypes?: unknown }).instanceTypes;
    const entries = Array.isArray(listed) ? listed : [value];
    const prefix = (index: number) => (Array.isArray(listed) ? ['instanceTypes', index] : []);
    for (const [index, entry] of entries.entries()) {
      const mismatches = checkItem(TYPE, entry, prefix(index));
      const name = (entry as { name?: unknown } | null)?.name;
      const complain = (path: FieldPath, message: string) => {
        const line = origin.lineOf(path);
        const where = { file: source.name, ...(line === undefined ? {} : { line }) };
        problems.push({
          ...where,
          object: `instance type ${name ?? index}`,
          field: fieldText(path),
          message,
        });
      };
      // A field that is not understood would change the plan unseen: the catalogue is refused.
      for (const { path, message } of mismatches)
        complain(path, message.replace('it is ignored', 'remove it, or see docs/simulate.md for the fields'));
      if (mismatches.length > 0) continue;
      if (types.some((type) => type.name === name)) complain([...prefix(index), 'name'], 'is used twice');
      else types.push(complete(entry as WrittenType));
    }
  }
  return { types, problems };
}

function complete(written: WrittenType): InstanceType {
  const offerings = written.offerings.map(completeOffering);
  const own = [...(written.requirements ?? []), ...labelRequirements(written.labels ?? {})];
  const missing = (key: string, values: readonly string[]): LabelRequirement[] =>
    values.length === 0 || own.some((requirement) => requirement.key === key)
      ? []
      : [{ key, operator: 'In', values }];
  return {
    name: written.name,
    requirements: [
      ...own,
      ...missing(KubernetesLabel.instanceType, [written.name]),
      ...missing(KubernetesLabel.arch, ['amd64']),
      ...missing(KubernetesLabel.os, ['linux']),
      ...missing(KubernetesLabel.zone, valuesOf(offerings, KubernetesLabel.zone)),
      ...missing(KarpenterLabel.capacityType, valuesOf(offerings, KarpenterLabel.capacityType)),
    ],
    // Without a limit on pods no pod would fit.
    capacity: { pods: DEFAULT_PODS, ...written.capacity },
    ...(written.overhead === undefined ? {} : { overhead: written.overhead }),
    ...(written.volumeAttachmentLimits === undefined
      ? {}
      : { volumeAttachmentLimits: written.volumeAttachmentLimits }),
    offerings,
  };
}

const DEFAULT_PODS = '110';

function completeOffering({ zone, capacityType, requirements = [], ...rest }: WrittenOffering): Offering {
  const has = (key: string) => requirements.some((requirement) => requirement.key === key);
  const one = (key: string, value: string) => [{ key, operator: 'In', values: [value] }];
  const kind = capacityType ?? (has(KarpenterLabel.capacityType) ? undefined : CapacityType.onDemand);
  return {
    ...rest,
    requirements: [
      ...requirements,
      ...(zone === undefined ? [] : one(KubernetesLabel.zone, zone)),
      ...(kind === undefined ? [] : one(KarpenterLabel.capacityType, kind)),
    ],
  };
}

function labelRequirements(labels: Readonly<Record<string, string | readonly string[]>>): LabelRequirement[] {
  return Object.entries(labels).map(([key, value]) => ({
    key,
    operator: 'In',
    values: (Array.isArray(value) ? value : [value]).map(String),
  }));
}

function valuesOf(offerings: readonly Offering[], key: string): string[] {
  const all = offerings.flatMap((offering) =>
    offering.requirements
      .filter((requirement) => requirement.key === key)
      .flatMap(({ values }) => values ?? []),
  );
  return [...new Set(all)].sort();
}
