/**
 * Reads what scheduling needs of a pod spec, once per distinct spec: requests, node requirements, pod
 * affinity terms, host ports. An invalid spec becomes a problem of the pod, with the name of the field.
 * Labels and volumes are read elsewhere, because they differ between pods with equal specs.
 */
import type { NodeSelector } from '@chandler/kube';
import { normalizeLabel, normalizeLabelValue } from '../../api/index.ts';
import { type HostPort, hostPortsOf } from '../host-ports.ts';
import type {
  LabelRequirement,
  LabelSelector,
  NodeSelectorTerm,
  Pod,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../model.ts';
import { podRequests } from '../pod-requests.ts';
import type { PodProblem } from '../refusal.ts';
import type { Algebra, Requirement } from '../requirements/algebra.ts';
import { type Requests, ResourceProblem, type Resources } from '../resources.ts';
import { compileSelector } from '../selectors.ts';
import { POD_SPEC, POD_STATUS } from '../shapes/object-shapes.ts';
import { type FieldError, withoutNulls } from '../shapes/shape.ts';

export interface ReadSpec {
  readonly requests: Requests;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector: readonly Requirement[];
  /** ORed terms; none means no requirement. */
  readonly requiredTerms: readonly (readonly Requirement[])[];
  /** Heaviest first. */
  readonly preferredTerms: readonly (readonly Requirement[])[];
  readonly affinity: TermLists;
  readonly antiAffinity: TermLists;
  readonly spreads: readonly TopologySpreadConstraint[];
  readonly ports: readonly HostPort[];
}

export interface TermLists {
  readonly required: readonly PodAffinityTerm[];
  /** Heaviest first. */
  readonly preferred: readonly PodAffinityTerm[];
}

/** The key for matching the name of a node; it is not a valid label key. */
export const NODE_NAME_KEY = 'field:metadata.name';

export function readSpec(
  algebra: Algebra,
  resources: Resources,
  pod: Pick<Pod, 'spec' | 'status'>,
): ReadSpec | PodProblem {
  const { spec, status } = withoutNulls({ spec: pod.spec, status: pod.status });
  const fieldError = shapeError(spec, status);
  if (fieldError !== undefined) return invalid(fieldError.field, fieldError.problem);
  try {
    return read(algebra, resources, status === undefined ? { spec } : { spec, status });
  } catch (error) {
    if (error instanceof ResourceProblem) {
      return invalid(`spec.containers.resources.requests.${error.resource}`, error.message);
    }
    if (error instanceof FieldProblem) return invalid(error.field, error.message);
    throw error;
  }
}

/** Whether a part of the pod has another shape than it should have, or is null. */
export function isMalformed({ spec, status }: Pick<Pod, 'spec' | 'status'>): boolean {
  const clean = withoutNulls({ spec, status });
  return (
    shapeError(clean.spec, clean.status) !== undefined ||
    JSON.stringify({ spec, status }) !== JSON.stringify(clean)
  );
}

/** Requirements of one term, `matchFields` included. @throws {FieldProblem} */
export function readTerm(algebra: Algebra, term: NodeSelectorTerm | undefined, field: string): Requirement[] {
  const expressions = (term?.matchExpressions ?? []).map((expression, index) =>
    readCondition(algebra, expression, `${field}.matchExpressions[${index}]`),
  );
  const fields = (term?.matchFields ?? []).map((expression, index) =>
    readCondition(
      algebra,
      { ...expression, key: expression.key === 'metadata.name' ? NODE_NAME_KEY : `field:${expression.key}` },
      `${field}.matchFields[${index}]`,
    ),
  );
  return [...expressions, ...fields];
}

export class FieldProblem extends Error {
  override readonly name = 'FieldProblem';
  readonly field: string;

  constructor(field: string, problem: string) {
    super(problem);
    this.field = field;
  }
}

/** Labels of which the pod excludes values. It may run on nodes without such a label, and a node that it shares may get one. */
export function avoidedKeysOf({ requiredTerms, preferredTerms }: ReadSpec): number[] {
  return [...requiredTerms, ...preferredTerms]
    .flat()
    .flatMap(({ operator, key }) => (operator === 'NotIn' ? [key] : []));
}

// ---------------------------------------------------------------------------------------------------------------

/** An API server rejects such a pod, but a file may contain it. */
function shapeError(spec: unknown, status: unknown): FieldError | undefined {
  if (spec === undefined) return { field: 'spec', problem: 'missing' };
  const inSpec = POD_SPEC(spec);
  if (inSpec !== undefined) return { ...inSpec, field: `spec.${inSpec.field}` };
  const inStatus = status === undefined ? undefined : POD_STATUS(status);
  return inStatus === undefined ? undefined : { ...inStatus, field: `status.${inStatus.field}` };
}

function invalid(field: string, problem: string): PodProblem {
  return { code: 'InvalidPod', field, problem };
}

function read(algebra: Algebra, resources: Resources, pod: Pick<Pod, 'spec' | 'status'>): ReadSpec {
  const { spec } = pod;
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const preferred = byWeight(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  const selector = Object.entries(spec.nodeSelector ?? {});
  return {
    requests: resources.requests(podRequests(resources, pod)),
    tolerations: spec.tolerations ?? [],
    nodeSelector: selector.map(([key, value]) =>
      algebra.label(normalizeLabel(key), normalizeLabelValue(key, value)),
    ),
    requiredTerms: readRequired(algebra, nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredTerms: preferred.map(({ preference }, index) =>
      readTerm(algebra, preference, `${PREFERRED}[${index}].preference`),
    ),
    affinity: readAffinity(spec, 'podAffinity'),
    antiAffinity: readAffinity(spec, 'podAntiAffinity'),
    spreads: readSpreads(spec.topologySpreadConstraints ?? []),
    ports: hostPortsOf(spec),
  };
}

const REQUIRED =
  'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
const PREFERRED = 'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution';

/** A term without conditions matches no node. */
function readRequired(algebra: Algebra, required: NodeSelector | undefined): Requirement[][] {
  if (required === undefined) return [];
  const terms = (required.nodeSelectorTerms ?? [])
    .map((term, index) => readTerm(algebra, term, `${REQUIRED}[${index}]`))
    .filter((conditions) => conditions.length > 0);
  if (terms.length === 0) throw new FieldProblem(REQUIRED, 'no term has a condition, so no node matches');
  return terms;
}

function byWeight<T extends { readonly weight: number }>(terms: readonly T[] | undefined): T[] {
  return [...(terms ?? [])].sort((first, second) => (second.weight ?? 0) - (first.weight ?? 0));
}

function readCondition(algebra: Algebra, condition: LabelRequirement, field: string): Requirement {
  const key = normalizeLabel(condition.key);
  const values = (condition.values ?? []).map((value) => normalizeLabelValue(condition.key, value));
  const parsed = algebra.parse(key, condition.operator, values);
  if ('problem' in parsed) throw new FieldProblem(field, `${condition.key}: ${parsed.problem}`);
  return parsed;
}

function readAffinity(spec: PodSpec, kind: 'podAffinity' | 'podAntiAffinity'): TermLists {
  const affinity = spec.affinity?.[kind];
  const required = affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = byWeight(affinity?.preferredDuringSchedulingIgnoredDuringExecution);
  const terms = preferred.map((term) => term.podAffinityTerm);
  for (const term of [...required, ...terms]) checkTerm(term, `spec.affinity.${kind}`);
  return { required, preferred: terms };
}

function checkTerm(term: PodAffinityTerm, field: string): void {
  if (typeof term?.topologyKey !== 'string' || term.topologyKey === '') {
    throw new FieldProblem(`${field}.topologyKey`, 'missing');
  }
  checkSelector(term.labelSelector, `${field}.labelSelector`);
  checkSelector(term.namespaceSelector, `${field}.namespaceSelector`);
}

function checkSelector(selector: LabelSelector | undefined, field: string): void {
  const compiled = compileSelector(selector);
  if ('problem' in compiled) throw new FieldProblem(field, compiled.problem);
}

function readSpreads(spreads: readonly TopologySpreadConstraint[]): readonly TopologySpreadConstraint[] {
  for (const [index, spread] of spreads.entries()) {
    const field = `spec.topologySpreadConstraints[${index}]`;
    if (typeof spread.topologyKey !== 'string' || spread.topologyKey === '') {
      throw new FieldProblem(`${field}.topologyKey`, 'missing');
    }
    if (!Number.isInteger(spread.maxSkew) || spread.maxSkew < 1) {
      throw new FieldProblem(`${field}.maxSkew`, `${spread.maxSkew} is not a positive integer`);
    }
    const soft = spread.whenUnsatisfiable;
    if (soft !== undefined && soft !== 'DoNotSchedule' && soft !== 'ScheduleAnyway') {
      throw new FieldProblem(`${field}.whenUnsatisfiable`, `unknown value ${JSON.stringify(soft)}`);
    }
    checkSelector(spread.labelSelector, `${field}.labelSelector`);
  }
  return spreads;
}
