/**
 * Reads what required affinities and spreads of a pod count: the pods of their namespaces, and the nodes. A plan from only
 * some of them would be wrong, so then there is none. Preferences are not read: the planner gives them up.
 */
import { NAMESPACES, NODES, PODS } from '@chandler/kube';
import { isFound, type LookupFailure, type LookupResult, type ReadObject } from '../../causes/index.ts';
import {
  compileSelector,
  type ExistingNode,
  type Pod,
  type PodAffinityTerm,
} from '../../scheduling/index.ts';

import type { GatherContext } from './gather-context.ts';
import { type CountedPods, oneNodePerDomain } from './one-node-per-domain.ts';
import type { NodeShape, PodShape } from './shapes.ts';

/** For pods of one question: nodes, and pods of a namespace, are read once. */
export class CountedPodsReader {
  readonly #context: GatherContext;
  #nodes: Promise<LookupResult<readonly ReadObject[]>> | undefined;
  readonly #pods: PodsByNamespace;

  constructor(context: GatherContext) {
    this.#context = context;
    this.#pods = podsOf.get(context.reader) ?? new Map();
    podsOf.set(context.reader, this.#pods);
  }

  /** Undefined: not all of them can be read; what is missing is recorded. */
  async read(
    pod: PodShape,
    namespaces: LookupResult<readonly ReadObject[]>,
  ): Promise<CountedPods | undefined> {
    const { reader, recorder } = this.#context;
    if (!countsPods(pod)) return { nodes: [], boundPods: [] };
    const unread = (what: string, unseen: LookupFailure) => {
      recorder.addUnread('plan', what, unseen);
      return undefined;
    };
    const terms = requiredTerms(pod);
    if (terms.some(({ namespaceSelector }) => namespaceSelector)) {
      const problem = wholeListFailure(namespaces);
      if (problem !== undefined) return unread(NAMESPACES.plural, problem);
    }
    this.#nodes ??= reader.list(NODES);
    const found = await this.#nodes;
    const nodes = isFound(found) ? (found.found as readonly NodeShape[]) : [];
    const problem = wholeListFailure(found);
    if (problem !== undefined) return unread(NODES.plural, problem);
    const known = new Set(nodes.map(({ metadata }) => metadata.name));
    const boundPods: Pod[] = [];
    let count = 0;
    for (const namespace of namespacesToRead(pod, terms, isFound(namespaces) ? namespaces.found : [])) {
      const what = namespace === undefined ? 'pods in all namespaces' : `pods in namespace ${namespace}`;
      const running = await this.#podsIn(namespace);
      if ('why' in running) return unread(what, running);
      count += running.count;
      if (count > MAX_PODS) return unread(what, TOO_MANY);
      for (const each of running.pods)
        if (known.has(each.spec.nodeName!)) boundPods.push(each as unknown as Pod);
    }
    const rules = [...terms, ...requiredSpreads(pod)].map(({ topologyKey }) => topologyKey);
    return oneNodePerDomain(pod, rules, { boundPods, nodes: nodes.map(domainOf) });
  }

  #podsIn(namespace: string | undefined): Promise<RunningPods | LookupFailure> {
    const reading = this.#pods.get(namespace) ?? runningPods(this.#context, namespace);
    this.#pods.set(namespace, reading);
    return reading;
  }
}

/** A list of only some objects is none. */
export function wholeListFailure(result: LookupResult<unknown>): LookupFailure | undefined {
  if (!isFound(result)) return result;
  return result.partial === true ? { why: 'notInDump' } : undefined;
}

// ---------------------------------------------------------------------------------------------------

type PodsByNamespace = Map<string | undefined, Promise<RunningPods | LookupFailure>>;

/** Several questions to one reader read the pods of a namespace once. */
const podsOf = new WeakMap<GatherContext['reader'], PodsByNamespace>();

const MAX_PODS = 5000;
const TOO_MANY: LookupFailure = { why: 'tooLarge', message: `there are more than ${MAX_PODS} pods` };
/** For more namespaces, one list of all pods takes less time. */
const MAX_NAMESPACES = 20;

/** Where the pod can be depends on where other pods are. */
function countsPods(pod: PodShape): boolean {
  return requiredTerms(pod).length + requiredSpreads(pod).length > 0;
}

function requiredSpreads({ spec }: PodShape) {
  return (spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway',
  );
}

function requiredTerms({ spec }: PodShape): readonly PodAffinityTerm[] {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return [podAffinity, podAntiAffinity].flatMap(
    (affinity) => affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
  );
}

/** Undefined: of all namespaces. */
function namespacesToRead(
  pod: PodShape,
  terms: readonly PodAffinityTerm[],
  known: readonly ReadObject[],
): readonly (string | undefined)[] {
  const own = pod.metadata.namespace ?? '';
  const names = new Set(requiredSpreads(pod).length > 0 ? [own] : []);
  for (const { namespaces = [], namespaceSelector } of terms) {
    for (const name of namespaces) names.add(name);
    if (namespaceSelector === undefined || namespaceSelector === null) {
      if (namespaces.length === 0) names.add(own);
      continue;
    }
    const selector = compileSelector(namespaceSelector);
    if ('problem' in selector) continue;
    for (const { metadata } of known)
      if (selector.matches({ [NAME_LABEL]: metadata.name, ...metadata.labels })) names.add(metadata.name);
  }
  return names.size > MAX_NAMESPACES ? [undefined] : [...names].sort();
}

/** Every namespace has its name as a label. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

interface RunningPods {
  readonly pods: readonly PodShape[];
  /** Of all pods. */
  readonly count: number;
}

async function runningPods(
  { reader }: GatherContext,
  namespace: string | undefined,
): Promise<RunningPods | LookupFailure> {
  const pods: PodShape[] = [];
  let count = 0;
  for await (const page of reader.pages(PODS, namespace === undefined ? {} : { namespace })) {
    const unseen = wholeListFailure(page);
    if (unseen !== undefined) return unseen;
    if (!isFound(page)) continue;
    count += page.found.length;
    if (count > MAX_PODS) return TOO_MANY;
    for (const pod of page.found as readonly PodShape[]) if (isRunning(pod)) pods.push(countedPart(pod));
  }
  return { pods, count };
}

function isRunning({ spec, status }: PodShape): boolean {
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return spec.nodeName !== undefined && !isOver;
}

/** What is counted of a pod: neither what its containers do nor what became of them. */
function countedPart({ metadata, spec }: PodShape): PodShape {
  const {
    managedFields: _,
    annotations: _annotations,
    ...rest
  } = metadata as PodShape['metadata'] & {
    readonly managedFields?: unknown;
  };
  const containers = (spec.containers ?? []).map(({ name, image, resources, ports }: ContainerPart) => ({
    name,
    image,
    ...(resources === undefined ? {} : { resources }),
    ...(ports === undefined ? {} : { ports }),
  }));
  return { metadata: rest, spec: { ...spec, containers } } as unknown as PodShape;
}

interface ContainerPart {
  readonly name?: unknown;
  readonly image?: unknown;
  readonly resources?: unknown;
  readonly ports?: unknown;
}

/** Without capacity: the nodes only define the domains and the pods in them. */
function domainOf({ metadata, spec }: NodeShape): ExistingNode {
  return {
    name: metadata.name,
    labels: { 'kubernetes.io/hostname': metadata.name, ...metadata.labels },
    taints: spec?.taints ?? [],
    allocatable: {},
  };
}
