/** Checks of the AMIs of classes in the live account: those that they name, and those that an alias leads to. */
import type { Manifest, Resource } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, itemsAt, type Path, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodeClasses,
  nodePools,
  objectOf,
  pass,
  requiredValues,
  seen,
  warn,
} from '../judgements.ts';
import { absence, liveCluster, shown } from '../live.ts';
import { familyOf, ROOT_DEVICES } from '../node-class-family.ts';

const TERMS = ['spec', 'amiSelectorTerms'] as const;
const OLD_DAYS = 180;
const DAY_MS = 86_400_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

export const LIVE_IMAGE_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-33',
    title: 'AMIs exist and can be used',
    inputs: ['nodeClasses', 'cloud'],
    criterion: `For AMIs that are named by their id: passes if they are available, warns if they are deprecated or older than ${OLD_DAYS} days, fails if they do not exist in the region or are not shared with the account.`,
    severity: 'critical',
    phase: 4,
    fix: 'Use an alias with a version, or the id of an image that exists in the region.',
    docs: DOCS.amis,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) =>
        idTerms(own)
          .map(([id, path]) => {
            const object = objectOf(own);
            const given = seen(own, ...path);
            const gone = absence(inputs, 'aws_ami', id);
            if (gone.length > 0) return fail(`There is no AMI ${id}.`, [given, ...gone], { object });
            const image = imageOf(inputs.resources, id);
            if (image === undefined) return undefined;
            return usable(image, given, inputs.live?.readAtMs ?? 0, object);
          })
          .filter((judgement) => judgement !== undefined),
      ),
  },
  {
    id: 'S-59',
    title: 'Parameters of Systems Manager lead to an AMI',
    inputs: ['nodeClasses', 'cloud'],
    criterion:
      'For classes with an alias or ssmParameter: passes if a parameter has an AMI that exists in the region. Fails if none has, or if a path names another version of Kubernetes than that of the cluster.',
    severity: 'high',
    phase: 4,
    fix: 'Correct the alias or the path; both depend on the region and on the version of the cluster.',
    docs: DOCS.amis,
    judge: (context) => each(nodeClasses(context.inputs), (own) => parameterLeads(context, own)),
  },
  {
    id: 'K-29',
    title: 'Aliases with a version exist for the version of the cluster',
    inputs: ['nodeClasses', 'cloud'],
    criterion:
      'For aliases with a version: passes if AWS publishes it for the version of Kubernetes of the cluster, fails if it does not.',
    severity: 'critical',
    phase: 4,
    fix: 'Choose a release that has images for the version of the cluster.',
    docs: DOCS.amis,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const [path] = aliasTerms(own);
        const alias = path === undefined ? undefined : seen(own, ...path);
        if (alias?.value === undefined || alias.value.endsWith('@latest')) return undefined;
        const parameters = parametersOf(inputs.resources, own);
        const found = parameters.filter(({ values }) => textAt(values, 'value') !== undefined);
        const object = objectOf(own);
        if (parameters.length === 0) return undefined;
        return found.length > 0
          ? pass('It exists.', [alias, ...found.map((each) => shown(each, 'value'))], { object })
          : fail(
              `AWS does not publish ${alias.value} for this version.`,
              [alias, ...parameters.map((each) => shown(each, 'value'))],
              { object },
            );
      }),
  },
  {
    id: 'K-30',
    title: 'Classes have AMIs for the architectures of their NodePools',
    inputs: ['nodeClasses', 'nodePools', 'cloud'],
    criterion:
      'For classes that name AMIs by their id: passes if there is one for each architecture that a NodePool requires, warns if one has none.',
    severity: 'high',
    phase: 4,
    fix: 'Add an AMI of the other architecture, or limit kubernetes.io/arch of the NodePool.',
    docs: DOCS.amis,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const reference = textAt(pool.tree, 'spec', 'template', 'spec', 'nodeClassRef', 'name');
        const own = nodeClasses(inputs).find(({ name }) => name === reference);
        const wanted = requiredValues(pool, 'kubernetes.io/arch');
        if (own === undefined || wanted === undefined) return undefined;
        const images = idTerms(own).flatMap(([id]) => imageOf(inputs.resources, id) ?? []);
        if (images.length === 0 || aliasTerms(own).length > 0) return undefined;
        const has = images.map(({ values }) => ARCHITECTURES[textAt(values, 'architecture') ?? '']);
        const missing = wanted.filter((architecture) => !has.includes(architecture));
        const object = objectOf(pool);
        const evidence = [
          seen(pool, 'spec', 'template', 'spec', 'requirements'),
          ...images.map((image) => shown(image, 'architecture')),
        ];
        return missing.length === 0
          ? pass('There is one for each.', evidence, { object })
          : warn(`${objectOf(own)} has no AMI for ${missing.join(', ')}.`, evidence, { object });
      }),
  },
  {
    id: 'K-32',
    title: 'Root volumes hold the AMI',
    inputs: ['nodeClasses', 'cloud'],
    criterion:
      'Passes if the root volume of a class is as large as the snapshot of its AMIs, fails if it is smaller: EC2 rejects the launch.',
    severity: 'high',
    phase: 4,
    fix: 'Enlarge volumeSize of the root device.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) => each(nodeClasses(inputs), (own) => rootVolume(inputs.resources, own)),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function idTerms({ tree }: Manifest): readonly (readonly [string, Path])[] {
  return itemsAt(tree, ...TERMS).flatMap((term, index) => {
    const id = textAt(term, 'id');
    return id === undefined ? [] : [[id, [...TERMS, index, 'id']] as const];
  });
}

function aliasTerms({ tree }: Manifest): readonly Path[] {
  return itemsAt(tree, ...TERMS).flatMap((term, index) =>
    textAt(term, 'alias') === undefined ? [] : [[...TERMS, index, 'alias']],
  );
}

function imageOf(resources: readonly Resource[], id: string | undefined): Resource | undefined {
  return resources.find((each) => each.source === 'live' && each.type === 'aws_ami' && each.name === id);
}

/** Those that the reader asked for because of this class. */
function parametersOf(resources: readonly Resource[], { name }: Manifest): readonly Resource[] {
  return resources.filter(
    ({ type, source, values }) =>
      type === 'aws_ssm_parameter' &&
      source === 'live' &&
      itemsAt(values, 'node_classes').some((each) => textOf(each) === name),
  );
}

function usable(image: Resource, given: Evidence, nowMs: number, object: string): Judgement {
  const at = (field: string) => textAt(image.values, field);
  if (at('state') !== 'available')
    return fail(`It is ${at('state')}.`, [given, shown(image, 'state')], { object });
  const deprecatedMs = Date.parse(at('deprecation_time') ?? '');
  if (deprecatedMs < nowMs)
    return warn('It is deprecated.', [given, shown(image, 'deprecation_time')], { object });
  const days = Math.floor((nowMs - Date.parse(at('creation_date') ?? '')) / DAY_MS);
  return days > OLD_DAYS
    ? warn(`It is ${days} days old.`, [given, shown(image, 'creation_date')], { object })
    : pass('It is available.', [given, shown(image, 'state')], { object });
}

function parameterLeads({ inputs }: CheckContext, own: Manifest): Judgement | undefined {
  const parameters = parametersOf(inputs.resources, own);
  const cluster = liveCluster(inputs);
  if (parameters.length === 0 || cluster === undefined) return undefined;
  const object = objectOf(own);
  const version = shown(cluster, 'version');
  const other = parameters.find(({ name }) => {
    const named = /\/(1\.\d+)\//.exec(name)?.[1];
    return named !== undefined && named !== version.value;
  });
  if (other !== undefined)
    return fail(
      `${other.name} is for another version than ${version.value}.`,
      [shown(other, 'name'), version],
      {
        object,
      },
    );
  const images = parameters.flatMap(({ values }) => imageOf(inputs.resources, textAt(values, 'value')) ?? []);
  return images.length > 0
    ? pass(
        'It does.',
        [...parameters.map((each) => shown(each, 'value')), ...images.map((each) => shown(each, 'id'))],
        {
          object,
        },
      )
    : fail(
        'No parameter has an AMI that exists here.',
        parameters.map((each) => shown(each, 'value')),
        {
          object,
        },
      );
}

function rootVolume(resources: readonly Resource[], own: Manifest): Judgement | undefined {
  const devices = ROOT_DEVICES[familyOf(own) ?? ''] ?? [];
  const mappings = itemsAt(own.tree, 'spec', 'blockDeviceMappings');
  const index = mappings.findIndex((mapping) => devices.includes(textAt(mapping, 'deviceName') ?? ''));
  const size = /^(\d+)Gi$/.exec(textAt(mappings[index], 'ebs', 'volumeSize') ?? '')?.[1];
  const images = [
    ...idTerms(own).map(([id]) => imageOf(resources, id)),
    ...parametersOf(resources, own).map(({ values }) => imageOf(resources, textAt(values, 'value'))),
  ].filter((image) => image !== undefined && find(image.values, 'root_volume_size') !== undefined);
  const [image] = images.filter((each) => each !== undefined).toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (size === undefined || image === undefined) return undefined;
  const object = objectOf(own);
  const evidence = [
    seen(own, 'spec', 'blockDeviceMappings', index, 'ebs', 'volumeSize'),
    shown(image, 'root_volume_size'),
  ];
  return Number(size) >= sizeOf(image)
    ? pass('It does.', evidence, { object })
    : fail(`The AMI needs ${sizeOf(image)}Gi.`, evidence, { object });
}

function sizeOf({ values }: Resource): number {
  return Number(textAt(values, 'root_volume_size'));
}
