/**
 * NodeOverlays in a plan for a pod: the instance types of a NodePool as the controller plans with them. Which overlays apply
 * is decided by its feature gate; where that cannot be seen, by their conditions, which a controller sets only with the gate.
 */
import { NODE_OVERLAYS } from '../../api/index.ts';
import {
  type EvidenceContext,
  isFound,
  type LookupFailure,
  type ReadObject,
  type RefusalFact,
  wholeFailure,
} from '../../causes/index.ts';
import type { Overlay } from '../../scheduling/index.ts';

import { isGateOn } from './feature-gates.ts';
import type { Planner } from './planner.ts';
import { requestedResources, without, withoutResource } from './relaxed-pod.ts';
import { conditionsOf, type PodShape } from './shapes.ts';

/** Of one question: they are read once, when a plan needs them. */
export class NodeOverlays {
  readonly #context: EvidenceContext;
  #reading: Promise<readonly Overlay[] | 'unread'> | undefined;
  #failure: LookupFailure | undefined;

  constructor(context: EvidenceContext) {
    this.#context = context;
  }

  /** With the types of each NodePool as they are after the overlays, in the same order. */
  planner(planner: Planner): Planner {
    return {
      ...planner,
      instanceTypes: async (pool, nodeClass, howMany) => {
        const types = await planner.instanceTypes(pool, nodeClass, howMany);
        const overlays = await this.#inForce();
        if (types === undefined || overlays === 'unread' || overlays.length === 0) return types;
        const { overlaidTypes } = await import('../../scheduling/index.ts');
        return overlaidTypes(types, pool, overlays);
      },
    };
  }

  /**
   * Where they could not be read: the pod without what an overlay may add to a node, or take from it. What keeps this one
   * from a node keeps the pod from it, whatever the overlays are; that a node takes it says nothing of the pod.
   */
  async withoutUnread<P extends PodShape>(pod: P): Promise<P> {
    return requestsMore(pod) && (await this.#inForce()) === 'unread' ? withoutMore(pod) : pod;
  }

  /** That they could not be read decides. */
  recordUnread(): void {
    this.#context.recorder.addUnread('plan', 'NodeOverlays', this.#failure ?? { why: 'notInDump' });
  }

  /** Some instance types have more than others of their family. */
  async changeCapacity(): Promise<boolean> {
    const overlays = await this.#inForce();
    return overlays !== 'unread' && overlays.some(({ spec }) => Object.keys(spec.capacity ?? {}).length > 0);
  }

  /** With the overlays that would add a resource which no instance type offers, and are not valid: they do not count. */
  async named(refusals: readonly RefusalFact[]): Promise<readonly RefusalFact[]> {
    const wanted = refusals.flatMap(({ code, facts: { resource } }) =>
      code === 'ResourceUnknown' && resource !== undefined ? [resource] : [],
    );
    const overlays = wanted.length === 0 ? [] : await this.#inForce();
    if (overlays === 'unread') return refusals;
    return refusals.map((refusal) => {
      const { resource = '' } = refusal.facts;
      const adding = wanted.includes(resource)
        ? overlays.filter(({ spec }) => spec.capacity?.[resource] !== undefined)
        : [];
      const [first, ...others] = adding.flatMap(
        (each) => invalidOverlay(each as unknown as ReadObject) ?? [],
      );
      if (first === undefined) return refusal;
      const same = others.map(({ name }) => name).join(', ');
      const more = same === '' ? '' : `, and so ${others.length === 1 ? 'is' : 'are'} ${same}`;
      return {
        ...refusal,
        facts: { ...refusal.facts, overlay: first.name },
        text: `${refusal.text}; NodeOverlay ${first.name} would add it and is not valid (${first.why})${more}`,
      };
    });
  }

  #inForce(): Promise<readonly Overlay[] | 'unread'> {
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<readonly Overlay[] | 'unread'> {
    const { reader, recorder } = this.#context;
    const isOn = isGateOn(recorder.evidence().first('options'), 'NodeOverlay');
    if (isOn === false) return [];
    const looked = await reader.list(NODE_OVERLAYS);
    const failure = wholeFailure(looked);
    // The kind is not installed.
    if (failure?.why === 'notFound') return [];
    if (failure !== undefined || !isFound(looked)) {
      this.#failure = failure;
      return 'unread';
    }
    const counting = isOn === true ? looked.found : looked.found.filter(wasLookedAt);
    return counting.toSorted(byName) as readonly ReadObject[] as unknown as readonly Overlay[];
  }
}

// ---------------------------------------------------------------------------------------------------

/** What every node has, and no overlay changes. */
const OF_EVERY_NODE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods']);

function requestsMore(pod: PodShape): boolean {
  return requestedResources(pod).some((name) => !OF_EVERY_NODE.has(name));
}

function withoutMore<P extends PodShape>(pod: P): P {
  const more = requestedResources(pod).filter((name) => !OF_EVERY_NODE.has(name));
  return without(pod, more, withoutResource);
}

function invalidOverlay(overlay: ReadObject): { readonly name: string; readonly why: string } | undefined {
  const found = conditionsOf(overlay).find(({ type, status }) => type === 'Ready' && status === 'False');
  if (found === undefined) return undefined;
  const { reason = '', message = '' } = found;
  return { name: overlay.metadata.name, why: [reason, message].filter((each) => each !== '').join(': ') };
}

function wasLookedAt(overlay: ReadObject): boolean {
  return conditionsOf(overlay).some(({ type }) => type === 'Ready');
}

function byName({ metadata: one }: ReadObject, { metadata: other }: ReadObject): number {
  return one.name < other.name ? -1 : 1;
}
