/**
 * Drifted: whether a node is still what its pool and class would launch today. Checked in upstream's order: the
 * pool's hash, the pool's requirements, whether its type is still offered, and last what the cloud says.
 * Consolidatable is written with it; `consolidatable.ts` decides its value.
 */
import type { StoreChange, Stored } from '@chandler/kube';
import { Controller, RecentMap, type Result, storeSource } from '@chandler/kube';
import {
  conditionsOf,
  KarpenterAnnotation,
  KarpenterLabel,
  KubernetesLabel,
  type NodePool,
  normalizeLabel,
  writeStatus,
} from '../../api/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import type { InstanceType, LabelRequirement } from '../../scheduling/index.ts';
import { BY_CLASS, BY_POOL, BY_PROVIDER_ID, classKey } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import type { Pool } from '../pools/pool-store.ts';
import { judgeConsolidatable } from './consolidatable.ts';
import { labelsMeet } from './labels-meet.ts';

const PERIOD_MS = 5 * 60_000;
const TYPE_CHECK_AGE_MS = 60 * 60_000;
const TYPE_CHECK_PERIOD_MS = 30 * 60_000;
const MAX_CLAIMS = 20_000;

type Labels = Readonly<Record<string, string>>;

interface Verdict {
  readonly reason: string;
  readonly message: string;
}

export function drift(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  const pass = new DriftPass(context);
  const ofPool = (name: string) => stores.claims.store.by(BY_POOL, name).map(({ metadata }) => metadata.name);
  return new Controller({
    name: 'nodeclaim.disruption',
    world,
    concurrency: workers(settings.cpuRequests, 10, 200),
    sources: [
      storeSource(stores.claims, { filter: ({ type }) => type !== 'deleted' }),
      storeSource(stores.pools, {
        filter: changesTemplate,
        keys: ({ object }) => ofPool(object.metadata.name),
      }),
      ...[...stores.nodeClasses].map(([kind, reflector]) =>
        storeSource(reflector, {
          keys: ({ object }) => {
            const [group = '', name = ''] = kind.split('/');
            const key = classKey({ group, kind: name, name: object.metadata.name });
            return stores.claims.store.by(BY_CLASS, key).map(({ metadata }) => metadata.name);
          },
        }),
      ),
    ],
    reconcile: (name, run) => pass.reconcile(name, scopeOf(context, run)),
  });
}

export class DriftPass {
  readonly #context: ControllerContext;
  /** When a claim's type was last found to be offered (monotonic). */
  readonly #offered = new RecentMap<number>(MAX_CLAIMS);

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const { stores, client, world, signal } = scope;
    const claim = stores.claims.store.get({ name });
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) {
      this.#offered.delete(name);
      return {};
    }
    if (!stores.runs(claim.spec.nodeClassRef)) return {};
    const pool = stores.pools.store.get({ name: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '' });
    const conditions = conditionsOf('NodeClaim', claim, world.clock.now());
    if (pool === undefined || !conditions.isTrue('Launched')) return {};
    const consolidatableInMs = judgeConsolidatable(conditions, claim, pool, world.clock.now());
    try {
      const verdict = await this.verdict(claim, pool, signal);
      if (verdict === undefined) conditions.clear('Drifted');
      else conditions.setTrue('Drifted', verdict.reason, verdict.message);
    } finally {
      // Whether the cloud answers or not, Consolidatable is known.
      if (!signal.aborted) await writeStatus(client, CLAIMS, claim, conditions);
    }
    return { requeueAfterMs: Math.min(PERIOD_MS, consolidatableInMs ?? PERIOD_MS) };
  }

  /** Writes nothing. Without a class only the pool is compared. */
  async verdict(
    claim: Claim,
    pool: Pool,
    signal: AbortSignal,
    nodeClass = this.#context.stores.nodeClass(claim.spec.nodeClassRef),
  ): Promise<Verdict | undefined> {
    const known = staticDrift(claim, pool) ?? requirementDrift(this.#labelsOf(claim), pool);
    if (known !== undefined || nodeClass === undefined) return known;
    return (
      (await this.#typeDrift(claim, pool, nodeClass, signal)) ??
      this.#cloudDrift(claim, pool, nodeClass, signal)
    );
  }

  /** A claim that was launched before a well-known label was recorded on it lacks the label; its node has it. */
  #labelsOf(claim: Claim): Labels {
    const { stores, labelRules } = this.#context;
    const node = stores.nodes.store.by(BY_PROVIDER_ID, claim.status?.providerID ?? '')[0];
    const ofNode = Object.entries(node?.metadata.labels ?? {}).filter(([key]) =>
      labelRules.wellKnown.has(key),
    );
    return { ...Object.fromEntries(ofNode), ...claim.metadata.labels };
  }

  async #typeDrift(
    claim: Claim,
    pool: Pool,
    nodeClass: Stored,
    signal: AbortSignal,
  ): Promise<Verdict | undefined> {
    const { world, cloud } = this.#context;
    const ageMs = world.clock.now() - Date.parse(claim.metadata.creationTimestamp ?? '');
    const checkedMs = this.#offered.get(claim.metadata.name) ?? Number.NEGATIVE_INFINITY;
    if (!(ageMs > TYPE_CHECK_AGE_MS) || world.clock.monotonic() - checkedMs < TYPE_CHECK_PERIOD_MS)
      return undefined;
    const types = await cloud.instanceTypes({ nodePool: pool, nodeClass }, signal);
    if (!isOffered(claim, types)) {
      const type = claim.metadata.labels?.[KubernetesLabel.instanceType] ?? '';
      return {
        reason: 'InstanceTypeNotFound',
        message: `InstanceTypeNotFound: ${type} is no longer offered to this nodepool`,
      };
    }
    this.#offered.set(claim.metadata.name, world.clock.monotonic());
    return undefined;
  }

  async #cloudDrift(
    claim: Claim,
    pool: Pool,
    nodeClass: Stored,
    signal: AbortSignal,
  ): Promise<Verdict | undefined> {
    const { cloud, stores } = this.#context;
    if (nodeClass.metadata.deletionTimestamp !== undefined) return undefined;
    const node = stores.nodes.store.by(BY_PROVIDER_ID, claim.status?.providerID ?? '')[0];
    try {
      const request = { claim, nodeClass, nodePool: pool, ...(node === undefined ? {} : { node }) };
      return await cloud.drift(request, signal);
    } catch (error) {
      if (isCloudError(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** The spec or the hash of the pool: a write of its status would check every claim of the pool again. */
function changesTemplate({ type, object, before }: StoreChange<NodePool>): boolean {
  if (type === 'deleted' || before === undefined) return true;
  const annotations = ({ metadata }: Pool) => JSON.stringify(metadata.annotations ?? {});
  return (
    object.metadata.generation !== before.metadata.generation || annotations(object) !== annotations(before)
  );
}

/** Only where both carry all four annotations of the same version: a new hash version alone is no drift. */
function staticDrift(claim: Claim, pool: Pool): Verdict | undefined {
  const own = claim.metadata.annotations ?? {};
  const wanted = pool.metadata.annotations ?? {};
  const { nodePoolHash: hash, nodePoolHashVersion: version } = KarpenterAnnotation;
  if ([own[hash], own[version], wanted[hash], wanted[version]].some((text) => text === undefined))
    return undefined;
  if (own[version] !== wanted[version] || own[hash] === wanted[hash]) return undefined;
  return {
    reason: 'NodePoolDrifted',
    message: `NodePoolDrifted: hash ${own[hash]}, the pool's is ${wanted[hash]}`,
  };
}

function requirementDrift(labels: Labels, pool: Pool): Verdict | undefined {
  const requirements = pool.spec.template.spec.requirements as readonly LabelRequirement[];
  const broken = requirements.find((requirement) => !labelsMeet(labels, requirement));
  if (broken === undefined) return undefined;
  const { key, operator, values = [] } = broken;
  const have = labels[normalizeLabel(key)];
  const text = `${key} ${operator}${values.length === 0 ? '' : ` [${values.join(' ')}]`}`;
  return {
    reason: 'RequirementsDrifted',
    message: `RequirementsDrifted: the nodepool requires ${text}, the node has ${have === undefined ? 'none' : have}`,
  };
}

/** A reserved instance that became an on-demand one is still offered. */
function isOffered(claim: Claim, types: readonly InstanceType[]): boolean {
  const labels = { ...claim.metadata.labels };
  const type = types.find(({ name }) => name === labels[KubernetesLabel.instanceType]);
  const capacity = labels[KarpenterLabel.capacityType];
  const accepted = capacity === 'reserved' ? ['reserved', 'on-demand'] : [capacity];
  return (type?.offerings ?? []).some(({ requirements }) =>
    requirements.every((requirement) =>
      requirement.key === KarpenterLabel.capacityType
        ? (requirement.values ?? []).some((value) => accepted.includes(value))
        : labels[requirement.key] === undefined || labelsMeet(labels, requirement),
    ),
  );
}
