/**
 * The value of `scheduler-config`: the part of kube-scheduler's configuration that plans must follow, as YAML or JSON. It
 * is read strictly, with the rules of kube-scheduler: a constraint that is ignored here and not there would leave pods
 * pending.
 */
import { KUBE_YAML, type TopologySpreadConstraint } from '@chandler/kube';
import { parseDocument } from 'yaml';

export interface SchedulerConfig {
  /** For pods without constraints of their own. Empty: none. */
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
}

/** @throws {Error} for a value that `schedulerConfigProblem` refuses: options are checked when they are read. */
export function readSchedulerConfig(text: string): SchedulerConfig {
  const read = readText(text);
  if (typeof read === 'string') throw new Error(`scheduler-config: expected ${read}`);
  return read;
}

/** Completes "expected …". */
export function schedulerConfigProblem(text: string): string | undefined {
  const read = readText(text);
  return typeof read === 'string' ? read : undefined;
}

// ---------------------------------------------------------------------------------------------------

type Fields = Readonly<Record<string, unknown>>;

const SECTION = 'podTopologySpread';
const LIST = `${SECTION}.defaultConstraints`;
const NONE: SchedulerConfig = { defaultConstraints: [] };

/** Thrown below, returned as text by `readText`. */
class Expected extends Error {}

function readText(text: string): SchedulerConfig | string {
  if (text.trim() === '') return NONE;
  const document = parseDocument(text, KUBE_YAML);
  const [error] = document.errors;
  if (error !== undefined) return `one YAML or JSON document (${error.message.split('\n')[0]})`;
  try {
    return readConfig(document.toJS());
  } catch (problem) {
    if (problem instanceof Expected) return problem.message;
    // An alias that expands to too many nodes.
    if (problem instanceof ReferenceError) return `a document that can be read (${problem.message})`;
    throw problem;
  }
}

function readConfig(value: unknown): SchedulerConfig {
  if (value === null || value === undefined) return NONE;
  const config = fieldsOf(value, 'the document');
  if (config['kind'] === 'KubeSchedulerConfiguration' || config['profiles'] !== undefined)
    throw new Expected(
      `only the default constraints, not a KubeSchedulerConfiguration: copy args.defaultConstraints of the plugin PodTopologySpread from the profile of your pods to ${LIST}`,
    );
  onlyThese(config, [SECTION], '');
  const spread = config[SECTION] ?? undefined;
  if (spread === undefined) return NONE;
  const section = fieldsOf(spread, SECTION);
  onlyThese(section, ['defaultConstraints'], SECTION);
  const list = section['defaultConstraints'] ?? [];
  if (!Array.isArray(list)) throw new Expected(`a list in ${LIST}`);
  const constraints = list.map((item, index) => readConstraint(item, `${LIST}[${index}]`));
  constraints.forEach(({ topologyKey, whenUnsatisfiable }, index) => {
    const first = constraints.findIndex(
      (other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable,
    );
    if (first < index)
      throw new Expected(
        `one constraint for ${topologyKey} and ${whenUnsatisfiable}: remove ${LIST}[${index}], which repeats ${LIST}[${first}]`,
      );
  });
  return { defaultConstraints: constraints };
}

const CONSTRAINT_FIELDS = [
  'maxSkew',
  'topologyKey',
  'whenUnsatisfiable',
  'minDomains',
  'nodeAffinityPolicy',
  'nodeTaintsPolicy',
];

/** Fields of a pod's constraint that a default one must not have, and why. */
const FORBIDDEN: Readonly<Record<string, string>> = {
  labelSelector: 'the selector is deduced from the Services and the controller of each pod',
  matchLabelKeys: 'it has no effect on default constraints',
};

function readConstraint(item: unknown, at: string): TopologySpreadConstraint {
  const fields = fieldsOf(item, at);
  for (const [name, why] of Object.entries(FORBIDDEN))
    if (isSet(fields[name])) throw new Expected(`no ${name} in ${at}: ${why}`);
  onlyThese(fields, [...CONSTRAINT_FIELDS, ...Object.keys(FORBIDDEN)], at);
  const { maxSkew, topologyKey, minDomains, nodeAffinityPolicy, nodeTaintsPolicy } = fields;
  if (typeof topologyKey !== 'string' || !isLabelName(topologyKey))
    throw new Expected(`a label name such as topology.kubernetes.io/zone in ${at}.topologyKey`);
  return {
    maxSkew: count(maxSkew, `${at}.maxSkew`),
    topologyKey,
    whenUnsatisfiable: choice(
      fields['whenUnsatisfiable'],
      ['DoNotSchedule', 'ScheduleAnyway'],
      `${at}.whenUnsatisfiable`,
    ),
    ...(isSet(minDomains) ? { minDomains: count(minDomains, `${at}.minDomains`) } : {}),
    ...(isSet(nodeAffinityPolicy)
      ? { nodeAffinityPolicy: choice(nodeAffinityPolicy, POLICIES, `${at}.nodeAffinityPolicy`) }
      : {}),
    ...(isSet(nodeTaintsPolicy)
      ? { nodeTaintsPolicy: choice(nodeTaintsPolicy, POLICIES, `${at}.nodeTaintsPolicy`) }
      : {}),
  };
}

const POLICIES = ['Honor', 'Ignore'];
const MAX_INT32 = 2 ** 31 - 1;

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function count(value: unknown, at: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_INT32) return value;
  throw new Expected(`a whole number of at least 1 in ${at}`);
}

function choice(value: unknown, choices: readonly string[], at: string): string {
  if (typeof value === 'string' && choices.includes(value)) return value;
  throw new Expected(`${choices.join(' or ')} in ${at}`);
}

function fieldsOf(value: unknown, at: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Expected(`fields in ${at}`);
}

function onlyThese(fields: Fields, known: readonly string[], at: string): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const path = at === '' ? unknown : `${at}.${unknown}`;
  throw new Expected(`no field ${path}: remove it; known are ${known.join(', ')}`);
}

/** An optional DNS subdomain and a slash, then a name of at most 63 characters. */
function isLabelName(text: string): boolean {
  const parts = text.split('/');
  const name = parts.pop()!;
  const [prefix] = parts;
  if (parts.length > 1 || name.length > 63 || !/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name))
    return false;
  return (
    prefix === undefined ||
    (prefix.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(prefix))
  );
}
