/**
 * Reads each shape of pod once: pods whose specs say the same for scheduling share one reading, found by a
 * text of the parts that matter. Most pods of a cluster come in few shapes, so this text is what a pod costs.
 */
import type { Container, Pod, PodSpec } from '../model.ts';
import type { PodProblem } from '../refusal.ts';
import type { Algebra } from '../requirements/algebra.ts';
import type { Resources } from '../resources.ts';
import { type ReadSpec, readSpec } from './read-spec.ts';

export interface SpecReading {
  readonly id: number;
  readonly spec: ReadSpec | PodProblem;
}

export class SpecReader {
  readonly #algebra: Algebra;
  readonly #resources: Resources;
  readonly #readings = new Map<string, SpecReading>();

  constructor(algebra: Algebra, resources: Resources) {
    this.#algebra = algebra;
    this.#resources = resources;
  }

  read(pod: Pod): SpecReading {
    const key = textOf(pod);
    let reading = this.#readings.get(key);
    if (reading === undefined) {
      const spec: ReadSpec | PodProblem =
        key === ''
          ? { code: 'InvalidPod', field: 'spec', problem: 'missing or of the wrong shape' }
          : readSpec(this.#algebra, this.#resources, pod);
      reading = { id: this.#readings.size, spec };
      this.#readings.set(key, reading);
    }
    return reading;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Empty for a pod without a spec, or with one that cannot be walked. */
function textOf(pod: Pod): string {
  if (pod.spec === undefined || pod.spec === null) return '';
  try {
    return specText(pod);
  } catch (error) {
    if (error instanceof TypeError) return '';
    throw error;
  }
}

function specText(pod: Pod): string {
  const { spec } = pod;
  let text = 'c';
  for (const container of spec.containers ?? []) text += containerText(container);
  if (spec.initContainers !== undefined) {
    for (const container of spec.initContainers) {
      text += `i${container.restartPolicy ?? ''}${containerText(container)}`;
    }
  }
  if (spec.nodeSelector !== undefined) text += `n${JSON.stringify(spec.nodeSelector)}`;
  if (spec.affinity !== undefined) text += `a${jsonOf(spec.affinity)}`;
  if (spec.tolerations !== undefined && spec.tolerations.length > 0)
    text += `t${JSON.stringify(spec.tolerations)}`;
  if (spec.topologySpreadConstraints !== undefined) text += `s${jsonOf(spec.topologySpreadConstraints)}`;
  return text + rareText(spec, pod);
}

/** Pods made from one template often share these parts as objects. */
function jsonOf(part: object | null): string {
  if (part === null) return 'null';
  let text = texts.get(part);
  if (text === undefined) {
    text = JSON.stringify(part);
    texts.set(part, text);
  }
  return text;
}

const texts = new WeakMap<object, string>();

function containerText(container: Container): string {
  let text = ';';
  const requests = container.resources?.requests;
  if (requests !== undefined) for (const name in requests) text += `${name}=${requests[name]},`;
  if (container.ports !== undefined) {
    for (const port of container.ports) {
      if (port.hostPort) text += `p${port.hostIP ?? ''}/${port.hostPort}/${port.protocol ?? ''}`;
    }
  }
  return text;
}

function rareText(spec: PodSpec, pod: Pod): string {
  const statuses = pod.status?.containerStatuses;
  const resized = statuses?.some(
    (status) => status.allocatedResources !== undefined || status.resources !== undefined,
  );
  if (spec.overhead === undefined && spec.resources === undefined && resized !== true) return '';
  const names = spec.containers?.map((container) => container.name);
  return `r${JSON.stringify([spec.overhead, spec.resources, resized ? [names, statuses] : null])}`;
}
