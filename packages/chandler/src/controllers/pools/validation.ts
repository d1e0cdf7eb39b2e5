/**
 * ValidationSucceeded on a pool: the checks of its template that a CRD's schema cannot make, and whether the API server
 * accepts its NodeClaims.
 */
import { Controller, isDuration, isQuantity, NEVER, type Result, storeSource } from '@chandler/kube';
import {
  conditionsOf,
  doubtfulPoolValues,
  doubtfulText,
  isRestrictedLabel,
  KarpenterLabel,
  type LabelRules,
  normalizeLabel,
  sameTaint,
  type Taint,
  writeStatus,
} from '../../api/index.ts';
import { CLAIM_REFUSED } from '../claims/claim-refusals.ts';
import { type ControllerContext, scopeOf } from '../context.ts';
import { POOLS, type Pool, poolNamed } from './pool-store.ts';

/** Pools are reconciled often, and the warning stays the same; the condition shows it all the time. */
const WARNING_INTERVAL_MS = 60 * 60_000;

export function poolValidation(context: ControllerContext): Controller {
  const { world, stores, labelRules, refusals } = context;
  return new Controller({
    name: 'nodepool.validation',
    world,
    concurrency: 10,
    sources: [storeSource(stores.pools), refusals.source()],
    async reconcile(name, run): Promise<Result> {
      const pool = poolNamed(context, name);
      if (pool === undefined) {
        refusals.retain(stores.pools.store.values());
        return {};
      }
      const conditions = conditionsOf('NodePool', pool, world.clock.now());
      const problems = problemsOf(pool, labelRules);
      const warning = doubtfulText(doubtfulPoolValues(pool.spec));
      const refusal = refusals.of(pool);
      if (problems.length > 0)
        conditions.setFalse('ValidationSucceeded', 'NodePoolValidationFailed', problems.join('; '));
      else if (refusal !== undefined)
        conditions.setFalse('ValidationSucceeded', CLAIM_REFUSED, refusal.message);
      else conditions.setTrue('ValidationSucceeded', 'ValidationSucceeded', warning);
      await writeStatus(scopeOf(context, run).client, POOLS, pool, conditions);
      if (warning !== '')
        context.events.publish({
          resource: POOLS,
          object: pool,
          type: 'Warning',
          reason: 'DoubtfulValue',
          message: warning,
          dedupeMs: WARNING_INTERVAL_MS,
        });
      return refusal === undefined ? {} : { requeueAfterMs: Math.ceil(refusal.remainingMs) };
    },
  });
}

/** Each names its field. */
export function problemsOf(pool: Pool, rules: LabelRules): readonly string[] {
  const { metadata, spec } = pool.spec.template;
  return [
    ...labelProblems(metadata?.labels ?? {}, rules),
    ...taintProblems(spec.taints ?? [], spec.startupTaints ?? []),
    ...spec.requirements.flatMap((requirement, index) => requirementProblems(requirement, index, rules)),
    ...valueProblems(pool),
  ];
}

// ---------------------------------------------------------------------------------------------------

type Requirement = Pool['spec']['template']['spec']['requirements'][number];

const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const OPERATORS = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Gte', 'Lte']);
const EFFECTS = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute', '']);

function isQualifiedName(text: string): boolean {
  const parts = text.split('/');
  const name = parts.at(-1) ?? '';
  return parts.length <= 2 && name.length <= 63 && NAME.test(name) && parts[0] !== '';
}

function labelProblems(labels: Readonly<Record<string, string>>, rules: LabelRules): readonly string[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const field = `spec.template.metadata.labels[${key}]`;
    const normal = normalizeLabel(key);
    if (normal === KarpenterLabel.nodePool)
      return [`${field}: is set by the controller and may not be given`];
    if (!isQualifiedName(key)) return [`${field}: is not a qualified name`];
    if (value.length > 63 || !VALUE.test(value)) return [`${field}: "${value}" is not a label value`];
    return isRestrictedLabel(normal, rules) ? [`${field}: is restricted`] : [];
  });
}

function taintProblems(taints: readonly Taint[], startup: readonly Taint[]): readonly string[] {
  const problems: string[] = [];
  const seen: Taint[] = [];
  const lists = { taints, startupTaints: startup };
  for (const [list, items] of Object.entries(lists)) {
    for (const [index, taint] of items.entries()) {
      const field = `spec.template.spec.${list}[${index}]`;
      if (!taint.key) problems.push(`${field}.key: is missing`);
      else if (!isQualifiedName(taint.key))
        problems.push(`${field}.key: "${taint.key}" is not a qualified name`);
      if (taint.value && !isQualifiedName(taint.value))
        problems.push(`${field}.value: "${taint.value}" is not a qualified name`);
      if (!EFFECTS.has(taint.effect ?? ''))
        problems.push(`${field}.effect: "${taint.effect}" is not an effect`);
      if (seen.some((other) => sameTaint(other, taint)))
        problems.push(`${field}: ${taint.key}:${taint.effect} is given twice`);
      seen.push(taint);
    }
  }
  return problems;
}

/** The schema has only patterns, which accept durations that do not fit 64 bits, and numbers with a broken exponent. */
function valueProblems({ spec }: Pool): readonly string[] {
  const { expireAfter, terminationGracePeriod } = spec.template.spec;
  const durations = {
    'spec.template.spec.expireAfter': expireAfter,
    'spec.template.spec.terminationGracePeriod': terminationGracePeriod,
    'spec.disruption.consolidateAfter': spec.disruption?.consolidateAfter,
  };
  const limits = Object.entries(spec.limits ?? {});
  return [
    ...Object.entries(durations)
      .filter(([, text]) => text !== undefined && text !== NEVER && !isDuration(text))
      .map(([field, text]) => `${field}: "${text}" is longer than a duration can be (292 years)`),
    ...limits
      .filter(([, amount]) => !isQuantity(amount))
      .map(([resource, amount]) => `spec.limits[${resource}]: "${amount}" is not a quantity`),
  ];
}

function requirementProblems(
  { key, operator, values = [], minValues }: Requirement,
  index: number,
  rules: LabelRules,
): readonly string[] {
  const field = `spec.template.spec.requirements[${index}]`;
  const normal = normalizeLabel(key);
  if (!OPERATORS.has(operator)) return [`${field}.operator: "${operator}" is not supported`];
  if (normal === KarpenterLabel.nodePool) return [`${field}.key: ${key} may not be required`];
  if (isRestrictedLabel(normal, rules)) return [`${field}.key: ${key} is restricted`];
  const known = rules.knownValues.get(normal);
  if (operator !== 'In' || known === undefined) return [];
  const valid = values.filter((value) => known.includes(value)).length;
  if (valid === 0) return [`${field}.values: none of ${values.join(', ')} is one of ${known.join(', ')}`];
  return minValues !== undefined && valid < minValues
    ? [`${field}.values: ${valid} known values, minValues wants ${minValues}`]
    : [];
}
