/**
 * The compiled pools: the template as requirements, the catalogue with overlays applied, the requests of
 * daemons per type, limits. Pools are tried by weight, then by name in descending order, as in upstream.
 */
import type { Taint } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, nodeClassLabel, normalizeLabel } from '../../api/index.ts';
import type { Catalogue, CatalogueReport } from '../catalogue/catalogue.ts';
import { FitIndex } from '../catalogue/fit-index.ts';
import { applyOverlays, type Overlaid, readOverlays } from '../catalogue/overlays.ts';
import { readRequirements } from '../catalogue/read-type.ts';
import type { InstanceType, PoolInput, PoolObject, SchedulingInput } from '../model.ts';
import type { InputError } from '../refusal.ts';
import { type Algebra, byCodeUnit, type Requirement, type RequirementSet } from '../requirements/algebra.ts';
import { ResourceProblem, type Resources, subtractAmounts } from '../resources.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
import { type Daemon, type DaemonGroup, groupByDaemons } from './daemons.ts';

export interface PoolEntry {
  readonly index: number;
  readonly name: string;
  readonly object: PoolObject;
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly template: RequirementSet;
  readonly catalogue: Catalogue;
  readonly overlaid: Overlaid;
  readonly daemonGroups: readonly DaemonGroup[];
  readonly groupOfRow: Int32Array;
  readonly fit: FitIndex;
  /** By slot; no entry means no limit. */
  readonly limits: ReadonlyMap<number, number>;
  readonly nodeLimit: number | null;
  readonly hasMinValues: boolean;
  /** The number of the label that names the type. */
  readonly typeKey: number;
}

/** The host name of a node that does not exist yet. */
export const NEW_NODE_HOST = 'claim\u0000';

/** Labels that exist only in the simulation. */
export const HIDDEN_LABELS: ReadonlySet<string> = new Set([
  KubernetesLabel.hostname,
  KarpenterLabel.registered,
  KarpenterLabel.initialized,
]);

export interface PoolContext {
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly daemons: readonly Daemon[];
  readonly volumes: VolumeIndex;
  readonly isWellKnown: (key: number) => boolean;
  readonly catalogueOf: (types: readonly InstanceType[]) => CatalogueReport;
}

export function buildPools(context: PoolContext, input: SchedulingInput, errors: InputError[]): PoolEntry[] {
  const overlays = readOverlays(context.algebra, input.overlays ?? [], errors);
  const catalogues = new CatalogueCache(context, input, errors);
  const entries: PoolEntry[] = [];
  const seen = new Set<string>();
  for (const pool of [...input.pools].sort(byWeightAndName)) {
    const name = poolName(pool);
    const object = `NodePool/${name}`;
    const { spec, metadata } = pool.nodePool;
    if (spec.replicas !== undefined || metadata.deletionTimestamp !== undefined) continue;
    if (name === '' || seen.has(name)) {
      errors.push({ object, field: 'metadata.name', problem: name === '' ? 'missing' : 'duplicate name' });
      continue;
    }
    seen.add(name);
    const template = readTemplate(context.algebra, pool.nodePool, name, errors);
    const limits = readLimits(context.resources, pool, object, errors);
    const types = catalogues.typesOf(pool, object);
    if (template === undefined || limits === undefined || types === undefined) continue;
    const overlaid = applyOverlays(context.algebra, overlays, types, template.set, errors);
    const catalogue = catalogues.of(overlaid.types);
    const taints = spec.template.spec.taints ?? [];
    const grouped = groupByDaemons(context, catalogue, template.set, taints);
    entries.push({
      index: entries.length,
      name,
      object: pool.nodePool,
      taints,
      labels: template.labels,
      template: template.set,
      catalogue,
      overlaid,
      daemonGroups: grouped.groups,
      groupOfRow: grouped.groupOfRow,
      fit: catalogues.fitOf(catalogue, grouped.groups, grouped.groupOfRow),
      ...limits,
      hasMinValues: template.set.items.some((requirement) => requirement.minValues !== null),
      typeKey: context.algebra.labels.key(KubernetesLabel.instanceType),
    });
  }
  return entries;
}

// ---------------------------------------------------------------------------------------------------------------

function poolName(pool: PoolInput): string {
  return pool.nodePool.metadata.name ?? '';
}

function byWeightAndName(first: PoolInput, second: PoolInput): number {
  const weight = (second.nodePool.spec.weight ?? 0) - (first.nodePool.spec.weight ?? 0);
  return weight !== 0 ? weight : byCodeUnit(poolName(second), poolName(first));
}

/** The labels of a new node, and what its template requires. Undefined: the requirements are invalid. */
export function readTemplate(
  algebra: Algebra,
  pool: PoolObject,
  name: string,
  errors: InputError[],
): { readonly labels: Readonly<Record<string, string>>; readonly set: RequirementSet } | undefined {
  const { template } = pool.spec;
  const { nodeClassRef } = template.spec;
  const labels: Record<string, string> = {
    ...template.metadata?.labels,
    [KarpenterLabel.nodePool]: name,
    ...(nodeClassRef === undefined
      ? {}
      : { [nodeClassLabel(nodeClassRef.group, nodeClassRef.kind)]: nodeClassRef.name }),
  };
  const list = (template.spec.requirements ?? []).map((requirement) => ({
    ...requirement,
    key: normalizeLabel(requirement.key),
  }));
  const field = 'spec.template.spec.requirements';
  const own = readRequirements(algebra, list, `NodePool/${name}`, field, errors);
  if (own === undefined) return undefined;
  const requirements: Requirement[] = [
    ...own,
    ...Object.entries(labels).map(([key, value]) => algebra.label(normalizeLabel(key), value)),
    algebra.label(KarpenterLabel.registered, 'true'),
    algebra.label(KarpenterLabel.initialized, 'true'),
    algebra.label(KubernetesLabel.hostname, NEW_NODE_HOST),
  ];
  return { labels, set: algebra.set(requirements) };
}

function readLimits(resources: Resources, pool: PoolInput, object: string, errors: InputError[]) {
  try {
    const { limits } = pool.nodePool.spec;
    const amounts = resources.offered(limits);
    const nodes = resources.slot('nodes');
    const bySlot = new Map<number, number>();
    for (const name of Object.keys(limits ?? {})) {
      const slot = resources.slot(name);
      if (slot !== nodes) bySlot.set(slot, amounts[slot]!);
    }
    return {
      limits: bySlot,
      nodeLimit: limits?.['nodes'] === undefined ? null : amounts[nodes]!,
    };
  } catch (error) {
    if (!(error instanceof ResourceProblem)) throw error;
    errors.push({ object, field: `spec.limits.${error.resource}`, problem: error.message });
    return undefined;
  }
}

/** Catalogues and fit indexes, shared by pools with the same list of types and the same daemons. */
class CatalogueCache {
  readonly #context: PoolContext;
  readonly #input: SchedulingInput;
  readonly #errors: InputError[];
  readonly #reported = new Set<Catalogue>();
  readonly #fits = new Map<Catalogue, Map<string, FitIndex>>();

  constructor(context: PoolContext, input: SchedulingInput, errors: InputError[]) {
    this.#context = context;
    this.#input = input;
    this.#errors = errors;
  }

  typesOf(pool: PoolInput, object: string): readonly InstanceType[] | undefined {
    if (typeof pool.instanceTypes !== 'string') return pool.instanceTypes ?? [];
    const shared = this.#input.catalogues;
    if (shared !== undefined && Object.hasOwn(shared, pool.instanceTypes)) return shared[pool.instanceTypes];
    this.#errors.push({
      object,
      field: 'instanceTypes',
      problem: `instance type catalogue ${pool.instanceTypes} does not exist`,
    });
    return undefined;
  }

  of(types: readonly InstanceType[]): Catalogue {
    const { catalogue, errors } = this.#context.catalogueOf(types);
    if (!this.#reported.has(catalogue)) this.#errors.push(...errors);
    this.#reported.add(catalogue);
    return catalogue;
  }

  fitOf(catalogue: Catalogue, groups: readonly DaemonGroup[], groupOfRow: Int32Array): FitIndex {
    const byKey = this.#fits.get(catalogue) ?? new Map<string, FitIndex>();
    this.#fits.set(catalogue, byKey);
    const key = Array.from(groupOfRow, (group) => groups[group]!.requests.id).join();
    let fit = byKey.get(key);
    if (fit === undefined) {
      const attachments = this.#context.volumes;
      const free = catalogue.rows.map((row, index) =>
        attachments.withLimits(
          row.type.source,
          subtractAmounts(row.allocatable, groups[groupOfRow[index]!]!.amounts),
        ),
      );
      fit = new FitIndex(free);
      byKey.set(key, fit);
    }
    return fit;
  }
}
