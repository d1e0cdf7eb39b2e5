/**
 * The end of a node class: it exists as long as NodeClaims use it; then its instance profiles and launch templates are removed,
 * and its finalizer at last. Each step can be repeated, so a crash in between only repeats some.
 */
import { isApiError, keyOfObject, type Result } from '@chandler/kube';
import { Finalizer, NODE_CLAIMS } from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';
import type { InstanceProfiles } from '../instance-profiles/index.ts';
import type { DryRuns } from '../node-class/index.ts';
import { CLASSES, claimsOfClass, classOfClaim, type NodeClass } from './node-class-store.ts';

export interface TerminationParts {
  readonly profiles: Pick<InstanceProfiles, 'removeOfClass'>;
  /** All of the class. Harmless to repeat. */
  readonly removeLaunchTemplates: (className: string, signal: AbortSignal) => Promise<void>;
  readonly dryRuns: Pick<DryRuns, 'forget'>;
  /** Then IAM cannot be reached, and profiles stay. */
  readonly isolatedVpc: () => boolean;
}

export class NodeClassTermination {
  readonly #context: CloudControllerContext;
  readonly #parts: TerminationParts;

  constructor(context: CloudControllerContext, parts: TerminationParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async reconcile(nodeClass: NodeClass, signal: AbortSignal): Promise<Result> {
    const { name, uid, finalizers = [] } = nodeClass.metadata;
    if (!finalizers.includes(Finalizer.ec2NodeClass)) return {};
    if (await this.#isInUse(nodeClass, signal)) return { requeueAfterMs: PERIOD_MS };
    if (!this.#parts.isolatedVpc()) await this.#parts.profiles.removeOfClass({ name, uid }, signal);
    await this.#parts.removeLaunchTemplates(name, signal);
    // The creation of a claim may have been in flight all that time.
    if (await this.#isInUse(nodeClass, signal)) return { requeueAfterMs: PERIOD_MS };
    await this.#release(nodeClass, signal);
    this.#parts.dryRuns.forget(name);
    return {};
  }

  async #isInUse(nodeClass: NodeClass, signal: AbortSignal): Promise<boolean> {
    const claims = await this.#claims(nodeClass.metadata.name, signal);
    if (claims.length > 0) this.#reportWaiting(nodeClass, claims);
    return claims.length > 0;
  }

  /** None in the cache may mean that the newest has not arrived there: the server is asked before anything is removed. */
  async #claims(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const cached = claimsOfClass(this.#context, name).map(({ metadata }) => metadata.name);
    if (cached.length > 0) return cached;
    const { items } = await this.#context.client.withSignal(signal).listAll(NODE_CLAIMS);
    return items
      .filter((claim) => classOfClaim(claim).includes(name))
      .map(({ metadata }) => metadata.name ?? '');
  }

  #reportWaiting(nodeClass: NodeClass, claims: readonly string[]): void {
    const names = [...claims].sort();
    const more = names.length > NAMED ? ` and ${names.length - NAMED} other(s)` : '';
    this.#context.events.publish({
      resource: CLASSES,
      object: nodeClass,
      type: 'Normal',
      reason: 'WaitingOnNodeClaimTermination',
      message: `Waiting on NodeClaim termination for ${names.slice(0, NAMED).join(', ')}${more}`,
      dedupeValues: [nodeClass.metadata.uid],
    });
  }

  async #release(nodeClass: NodeClass, signal: AbortSignal): Promise<void> {
    const { resourceVersion, finalizers = [] } = nodeClass.metadata;
    const rest = finalizers.filter((each) => each !== Finalizer.ec2NodeClass);
    const patch = { metadata: { resourceVersion, finalizers: rest } };
    const client = this.#context.client.withSignal(signal);
    try {
      await client.patch(CLASSES, keyOfObject(nodeClass), { type: 'merge', patch });
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** So often the event is repeated. */
const PERIOD_MS = 10 * 60_000;
const NAMED = 5;
