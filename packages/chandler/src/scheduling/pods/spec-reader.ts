/**
 * Reads each distinct pod spec once: pods whose specs are equal for scheduling share one reading, found by a
 * key made of the relevant parts. Most pods of a cluster have one of a few specs, so the cost per pod is the
 * cost of the key.
 */
import { resizedContainers } from '@chandler/kube';
import type { Container, Pod, PodSpec } from '../model.ts';
import type { PodProblem } from '../refusal.ts';
import type { Algebra } from '../requirements/algebra.ts';
import type { Resources } from '../resources.ts';
import { isMalformed, type ReadSpec, readSpec } from './read-spec.ts';

export interface SpecReading {
  readonly id: number;
  readonly spec: ReadSpec | PodProblem;
}

export class SpecReader {
  readonly #algebra: Algebra;
  readonly #resources: Resources;
  readonly #readings = new Map<string, SpecReading>();
  /** Numbers for parts of specs, by content. */
  readonly #parts = new Map<string, number>();

  constructor(algebra: Algebra, resources: Resources) {
    this.#algebra = algebra;
    this.#resources = resources;
  }

  /** How many distinct specs and parts of specs were read. */
  get size(): number {
    return this.#readings.size + this.#parts.size;
  }

  read(given: Pod): SpecReading {
    const pod = isDaemonOnNode(given) ? withoutNodeAffinity(given) : given;
    const key = this.#textOf(pod);
    let reading = this.#readings.get(key);
    if (reading === undefined) {
      reading = { id: this.#readings.size, spec: readSpec(this.#algebra, this.#resources, pod) };
      this.#readings.set(key, reading);
    }
    return reading;
  }

  /** A malformed spec is identified by its whole content; it is refused when it is read. */
  #textOf(pod: Pod): string {
    try {
      return this.#specText(pod);
    } catch (error) {
      // Thrown for a part of another shape. For a pod of the right shape it is a bug.
      if (!(error instanceof TypeError) || !isMalformed(pod)) throw error;
      return `!${JSON.stringify([pod.spec, pod.status])}`;
    }
  }

  #specText(pod: Pod): string {
    const { spec } = pod;
    let text = 'c';
    if (spec.containers !== undefined) text += containersText(spec.containers);
    if (spec.initContainers !== undefined) text += `i${containersText(spec.initContainers)}`;
    if (spec.nodeSelector !== undefined) text += `n${this.#numberOf(spec.nodeSelector)}`;
    if (spec.affinity !== undefined) text += `a${this.#numberOf(spec.affinity)}`;
    if (spec.tolerations !== undefined) text += `t${this.#numberOf(spec.tolerations)}`;
    if (spec.topologySpreadConstraints !== undefined)
      text += `s${this.#numberOf(spec.topologySpreadConstraints)}`;
    return text + rareText(spec, pod);
  }

  /** Equal parts have the same number, so that the key of a pod stays short. */
  #numberOf(part: object): number {
    const text = jsonOf(part);
    let number = this.#parts.get(text);
    if (number === undefined) {
      number = this.#parts.size;
      this.#parts.set(text, number);
    }
    return number;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Such a pod is never placed elsewhere. */
function isDaemonOnNode({ metadata, spec }: Pod): boolean {
  const hasNode = spec?.nodeName !== undefined && spec.nodeName !== '';
  return hasNode && metadata?.ownerReferences?.some((owner) => owner?.kind === 'DaemonSet') === true;
}

/** It names the node: there would be a reading, and a label value, for every node that ever was. */
function withoutNodeAffinity(pod: Pod): Pod {
  if (pod.spec.affinity?.nodeAffinity === undefined) return pod;
  const { nodeAffinity: _, ...affinity } = pod.spec.affinity;
  const { affinity: __, ...spec } = pod.spec;
  return { ...pod, spec: Object.keys(affinity).length === 0 ? spec : { ...spec, affinity } };
}

/** Pods made from one template often share these parts as objects. */
function jsonOf(part: object): string {
  let text = texts.get(part);
  if (text === undefined) {
    text = JSON.stringify(part);
    texts.set(part, text);
  }
  return text;
}

const texts = new WeakMap<object, string>();

/** @throws {TypeError} when it is not a list. */
function containersText(containers: readonly Container[]): string {
  if (!Array.isArray(containers)) throw new TypeError('containers is not a list');
  let text = '';
  for (const container of containers) text += containerText(container);
  return text;
}

function containerText(container: Container): string {
  let text = container.restartPolicy === undefined ? ';' : `;${container.restartPolicy}:`;
  const requests = container.resources?.requests;
  if (requests !== undefined) {
    for (const name in requests) {
      const amount = requests[name];
      text += typeof amount === 'string' ? `${name}=${amount},` : `${name}:${JSON.stringify(amount)},`;
    }
  }
  if (container.ports !== undefined) {
    for (const port of container.ports) {
      if (port.hostPort) text += `p${port.hostIP ?? ''}/${port.hostPort}/${port.protocol ?? ''}`;
    }
  }
  return text;
}

function rareText(spec: PodSpec, pod: Pod): string {
  const resized = resizedContainers(spec.containers ?? [], pod.status?.containerStatuses);
  if (spec.overhead === undefined && spec.resources === undefined && resized.length === 0) return '';
  const names = spec.containers?.map((container) => container.name);
  return `r${JSON.stringify([spec.overhead, spec.resources, resized.length === 0 ? null : [names, resized]])}`;
}
