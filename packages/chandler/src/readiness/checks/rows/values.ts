/** Checks of the Helm values of Karpenter. */
import { isQuantity, parseQuantity } from '@chandler/kube';
import { hostOf, regionOfHost } from '../../facts/arn.ts';
import { evidenceOf, INFRASTRUCTURE, knownValues } from '../../facts/facts.ts';
import { placeholderIn } from '../../facts/placeholder.ts';
import type { HelmRelease, Manifest } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import { find, hasUnknown, itemsAt, type Path, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodePools,
  objectOf,
  ofValues,
  pass,
  requirementOf,
  seen,
  skip,
  warn,
} from '../judgements.ts';
import { absence } from '../live.ts';

const ENDPOINT = ['settings', 'clusterEndpoint'] as const;
const QUEUE = ['settings', 'interruptionQueue'] as const;
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

export const VALUES_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-16',
    title: 'The cluster endpoint is not a placeholder',
    inputs: ['values'],
    criterion:
      'Passes if settings.clusterEndpoint is absent (the controller then asks EKS for it) or a value. Fails if it waits for one: REPLACE, YOUR, CHANGEME, TODO, <…>, a variable that was not rendered.',
    severity: 'critical',
    phase: 2,
    fix: 'Write the endpoint of the cluster (aws eks describe-cluster --query cluster.endpoint), or remove the key: the controller then finds it by itself.',
    docs: DOCS.settings,
    judge: endpoints((text, evidence, object) => {
      const waiting = placeholderIn(text);
      return waiting === undefined
        ? pass('The endpoint is a value.', evidence, { object })
        : fail(`${text} is a placeholder; the controller does not start with it.`, evidence, { object });
    }),
  },
  {
    id: 'S-17',
    title: 'The cluster endpoint is an https address',
    inputs: ['values'],
    criterion:
      'Passes if settings.clusterEndpoint is absent or an absolute https address of EKS. Warns about another host, fails otherwise.',
    severity: 'critical',
    phase: 2,
    fix: 'Write an address such as https://ABC123.gr7.us-east-1.eks.amazonaws.com.',
    docs: DOCS.settings,
    judge: endpoints((text, evidence, object) => {
      const host = hostOf(text);
      if (host === undefined || !text.startsWith('https://'))
        return fail(`${text} is not an absolute https address.`, evidence, { object });
      return regionOfHost(host) === undefined
        ? warn(`${host} is not an endpoint of EKS.`, evidence, { object })
        : pass(`The host is ${host}.`, evidence, { object });
    }),
  },
  {
    id: 'S-18',
    title: 'The cluster endpoint is that of the cluster',
    inputs: ['values', ['state', 'plan', 'cloud']],
    criterion:
      'Passes if settings.clusterEndpoint is the endpoint that the state or the account has, whatever its case; fails if it is another.',
    severity: 'critical',
    phase: 2,
    fix: 'Write the endpoint of the cluster, or remove the key.',
    docs: DOCS.settings,
    judge: ({ facts }) => {
      const all = facts.from('endpoint', ...INFRASTRUCTURE).filter(({ value }) => value !== undefined);
      // What a state says of a cluster that is there no longer counts.
      const real = all[0]?.source === 'live' ? all.filter(({ source }) => source === 'live') : all;
      const plain = (text: string) => text.toLowerCase().replace(/\/+$/, '');
      return each(facts.from('endpoint', 'values'), (fact) => {
        const evidence = [fact, ...real].map(evidenceOf);
        if (fact.value === undefined || real.length === 0)
          return skip('The endpoint is not known.', ['state', 'cloud'], evidence);
        return knownValues(real).map(plain).includes(plain(fact.value))
          ? pass('Both are the same.', evidence)
          : fail(`The cluster has the endpoint ${knownValues(real).join(', ')}.`, evidence);
      });
    },
  },
  {
    id: 'S-19',
    title: 'The Helm values have no instance profile',
    inputs: ['values'],
    criterion: 'Warns if the values name an instance profile: no chart since 1.0 reads it.',
    severity: 'low',
    phase: 2,
    fix: 'Remove the key, and set spec.instanceProfile or spec.role of the EC2NodeClasses.',
    docs: DOCS.upgrade,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const dead = PROFILE_KEYS.filter((path) => find(release.values, ...path) !== undefined);
        const evidence = dead.map((path) => seen(ofValues(release), ...path));
        if (dead.length === 0 && release.incomplete.length > 0) return setElsewhere(release, []);
        return dead.length === 0
          ? pass('There is none.', [seen(ofValues(release), 'settings')], { object: release.origin })
          : warn(`${dead.map((path) => path.join('.')).join(', ')} has no effect.`, evidence, {
              object: release.origin,
            });
      }),
  },
  {
    id: 'K-07',
    title: 'Spot capacity has an interruption queue',
    inputs: ['nodePools', 'values'],
    criterion: 'Fails if a NodePool may launch spot instances and settings.interruptionQueue is empty.',
    severity: 'high',
    phase: 2,
    fix: 'Create the queue with its EventBridge rules, and set settings.interruptionQueue to its name.',
    docs: DOCS.settings,
    judge: spotNeedsQueue,
  },
  {
    id: 'K-09',
    title: 'The interruption queue is given by its name',
    inputs: ['values'],
    criterion:
      'Fails if settings.interruptionQueue is an ARN, an address, a placeholder, or a queue that the account does not have.',
    severity: 'high',
    phase: 2,
    fix: 'Write the name of the queue: the last part of its ARN or address.',
    docs: DOCS.settings,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const text = textAt(release.values, ...QUEUE);
        if (text === undefined || text === '') return undefined;
        const evidence = [seen(ofValues(release), ...QUEUE)];
        const object = release.origin;
        if (/^arn:|^https?:/.test(text)) {
          const name = text.split(/[:/]/).at(-1);
          return fail('It is not a name.', evidence, { object, fix: `Write ${name}.` });
        }
        const gone = absence(inputs, 'aws_sqs_queue', text);
        if (gone.length > 0) return fail(`There is no queue ${text}.`, [...evidence, ...gone], { object });
        return placeholderIn(text) === undefined
          ? pass(`The queue is ${text}.`, evidence, { object })
          : fail(`${text} is a placeholder.`, evidence, { object });
      }),
  },
  {
    id: 'K-45',
    title: 'The controller has resource requests',
    inputs: ['values'],
    criterion:
      'Warns if controller.resources has no requests of cpu or memory (the chart sets none), or less than 1 CPU and 1Gi.',
    severity: 'medium',
    phase: 2,
    fix: 'Set controller.resources: at least 1 CPU and 1Gi of memory.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) => each(inputs.releases, controllerRequests),
  },
  {
    id: 'K-46',
    title: 'The controller has two replicas',
    inputs: ['values'],
    criterion: 'Passes if replicas is absent (the chart has 2) or at least 2; warns if it is 1 or 0.',
    severity: 'medium',
    phase: 2,
    fix: 'Set replicas to 2, and have two nodes that Karpenter does not manage for them.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const replicas = find(release.values, 'replicas');
        const evidence = [seen(ofValues(release), 'replicas')];
        const object = release.origin;
        if (replicas?.kind === 'unknown')
          return skip('The number is not known.', ['plan'], evidence, { object });
        if (replicas === undefined && release.incomplete.length > 0) return setElsewhere(release, evidence);
        return replicas === undefined || Number(textOf(replicas)) >= 2
          ? pass('There are at least two.', evidence, { object })
          : warn(`There is ${textOf(replicas)}.`, evidence, { object });
      }),
  },
  {
    id: 'K-82',
    title: 'The version of the chart is pinned',
    inputs: ['values'],
    criterion: 'Passes if the version is exact. Warns if it is absent, a range, or a branch.',
    severity: 'medium',
    phase: 3,
    fix: 'Write an exact version, such as 1.14.1.',
    docs: DOCS.upgrade,
    judge: ({ inputs }) =>
      each(inputs.releases, ({ version, origin, source, at, repository }) => {
        // A file of values alone does not say which chart it is for.
        if (
          version === undefined &&
          repository === undefined &&
          !/^(HelmRelease|helm_release|module\.)/.test(origin)
        )
          return undefined;
        const text = textOf(version);
        const own = { source, what: 'version of the chart', at: version?.at ?? at };
        if (version?.kind === 'unknown')
          return skip(
            'The version is not known.',
            ['plan'],
            [{ ...own, note: `not known: it ${version.why}` }],
            {
              object: origin,
            },
          );
        if (text === undefined)
          return warn('There is none.', [{ ...own, note: 'absent' }], { object: origin });
        return /^v?\d+\.\d+\.\d+(?:[-+][\w.-]+)?$/.test(text)
          ? pass(`It is ${text}.`, [{ ...own, value: text }], { object: origin })
          : warn(`${text} is not one version.`, [{ ...own, value: text }], { object: origin });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Keys of old charts. */
const PROFILE_KEYS: readonly Path[] = [
  ['settings', 'defaultInstanceProfile'],
  ['settings', 'instanceProfile'],
  ['settings', 'aws', 'defaultInstanceProfile'],
  ['aws', 'defaultInstanceProfile'],
  ['controller', 'defaultInstanceProfile'],
  ['defaultInstanceProfile'],
  ['instanceProfile'],
];

/** For each release: an endpoint that is absent is found by the controller itself. */
function endpoints(
  judgeText: (text: string, evidence: Judgement['evidence'], object: string) => Judgement,
): CheckRow['judge'] {
  return ({ inputs }) =>
    each(inputs.releases, (release) => {
      const evidence = [seen(ofValues(release), ...ENDPOINT)];
      const object = release.origin;
      const found = find(release.values, ...ENDPOINT);
      if (found?.kind === 'unknown')
        return skip('The endpoint is not known.', ['plan', 'state'], evidence, { object });
      if (found !== undefined && found.kind !== 'scalar')
        return fail('The endpoint is not a text.', evidence, { object });
      const text = textOf(found) ?? '';
      if (text !== '') return judgeText(text, evidence, object);
      return release.incomplete.length > 0
        ? setElsewhere(release, evidence)
        : pass('It is absent, and the controller asks EKS for it.', evidence, { object });
    });
}

function setElsewhere({ incomplete, origin }: HelmRelease, evidence: Judgement['evidence']): Judgement {
  return skip(`It may be set elsewhere: ${incomplete[0]}.`, ['values'], evidence, { object: origin });
}

/** What the controller needs at least, in a small cluster. Without a request, the limit is the request. */
const FLOOR = { cpu: '1', memory: '1Gi' } as const;

function controllerRequests(release: HelmRelease): Judgement {
  const object = release.origin;
  const paths = (['cpu', 'memory'] as const).map((resource) => {
    const own = ['controller', 'resources'];
    const isLimit =
      find(release.values, ...own, 'requests', resource) === undefined &&
      find(release.values, ...own, 'limits', resource) !== undefined;
    return { resource, path: [...own, isLimit ? 'limits' : 'requests', resource] };
  });
  const evidence = paths.map(({ path }) => seen(ofValues(release), ...path));
  const missing = paths.filter(({ path }) => find(release.values, ...path) === undefined);
  if (missing.length > 0)
    return release.incomplete.length > 0
      ? setElsewhere(release, evidence)
      : warn(
          `The controller has no request of ${missing.map(({ resource }) => resource).join(' and ')}.`,
          evidence,
          { object },
        );
  const small = paths.filter(({ resource, path }) => {
    const text = textAt(release.values, ...path) ?? '';
    return isQuantity(text) && parseQuantity(text).compare(parseQuantity(FLOOR[resource])) < 0;
  });
  return small.length === 0
    ? pass('It has requests.', evidence, { object })
    : warn(
        `The controller needs at least ${small.map(({ resource }) => `${FLOOR[resource]} of ${resource}`).join(' and ')}.`,
        evidence,
        { object },
      );
}

/** A pool that says nothing about capacity types may use all of them, and prefers spot. */
export function mayLaunchSpot(pool: Manifest): boolean {
  const found = requirementOf(pool, CAPACITY_TYPE);
  const values = itemsAt(found, 'values').map(textOf);
  switch (textAt(found, 'operator')) {
    case 'In':
      return values.includes('spot');
    case 'NotIn':
      return !values.includes('spot');
    case 'DoesNotExist':
      return false;
    default:
      return true;
  }
}

function isCapacityTypeKnown(pool: Manifest): boolean {
  const own = requirementOf(pool, CAPACITY_TYPE);
  if (own !== undefined) return !hasUnknown(own);
  const list = find(pool.tree, 'spec', 'template', 'spec', 'requirements');
  return list?.kind !== 'unknown' && itemsAt(list).every((item) => find(item, 'key')?.kind !== 'unknown');
}

function spotNeedsQueue({ inputs }: CheckContext): readonly Judgement[] {
  return each(nodePools(inputs).filter(mayLaunchSpot), (pool) => {
    const at = requirementOf(pool, CAPACITY_TYPE)?.at ?? pool.at;
    const values = itemsAt(requirementOf(pool, CAPACITY_TYPE), 'values').map(textOf).join(', ');
    const own = { source: pool.source, what: `requirement ${CAPACITY_TYPE}`, value: values || 'any', at };
    return inputs.releases.map((release) => {
      if (!isCapacityTypeKnown(pool))
        return skip('Its requirements are not known.', ['plan'], [own], { object: objectOf(pool) });
      const evidence = [own, seen(ofValues(release), ...QUEUE)];
      const object = objectOf(pool);
      const queue = find(release.values, ...QUEUE);
      if (queue?.kind === 'unknown') return skip('The queue is not known.', ['plan'], evidence, { object });
      if ((textOf(queue) ?? '') !== '') return pass(`The queue is ${textOf(queue)}.`, evidence, { object });
      return release.incomplete.length > 0
        ? skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object })
        : fail('It may launch spot instances, and no queue reports their interruption.', evidence, {
            object,
          });
    });
  });
}
