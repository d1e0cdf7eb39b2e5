/** Checks of the volumes of EC2NodeClasses. */
import { parseArn } from '../../facts/arn.ts';
import { knownValues } from '../../facts/facts.ts';
import { placeholderIn } from '../../facts/placeholder.ts';
import type { Manifest } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import { itemsAt, type Path, textAt } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodeClasses, objectOf, pass, seen, warn } from '../judgements.ts';
import { absence, liveResources, shown } from '../live.ts';
import { familyOf, ROOT_DEVICES } from '../node-class-family.ts';

export const VOLUME_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-37',
    title: 'Volumes are encrypted',
    inputs: ['nodeClasses'],
    criterion:
      'Passes if there is no mapping (the default is encrypted) or all have encrypted: true. Warns if a mapping says nothing, which depends on the account, and without mapping for the family Custom; fails if one says false.',
    severity: 'high',
    phase: 4,
    fix: 'Add encrypted: true to every mapping.',
    docs: DOCS.encryption,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const object = objectOf(own);
        const mappings = mappingsOf(own);
        if (mappings.length === 0 && familyOf(own) === 'Custom')
          return warn(
            'There is no mapping, and for the family Custom the image decides.',
            [seen(own, ...MAPPINGS)],
            { object },
          );
        if (mappings.length === 0)
          return pass('There is no mapping, and the default is encrypted.', [seen(own, ...MAPPINGS)], {
            object,
          });
        const evidence = mappings.map((path) => seen(own, ...path, 'ebs', 'encrypted'));
        if (evidence.some(({ value }) => value === 'false'))
          return fail('A volume is not encrypted.', evidence, { object });
        const [byDefault] = liveResources(inputs, 'aws_ebs_encryption_by_default').map((own) =>
          shown(own, 'enabled'),
        );
        if (byDefault?.value === 'true')
          return pass('The account encrypts all volumes.', [...evidence, byDefault], { object });
        return evidence.every(({ value }) => value === 'true')
          ? pass('All are encrypted.', evidence, { object })
          : warn(
              'Own mappings replace the encrypted default, and one of them does not say that it is encrypted.',
              evidence,
              { object },
            );
      }),
  },
  {
    id: 'S-38',
    title: 'Volumes have a key of your own',
    inputs: ['nodeClasses'],
    criterion:
      'Passes if every mapping has a kmsKeyID of the same region. Warns if one has none; fails on a placeholder or an ARN of another region.',
    severity: 'medium',
    phase: 4,
    fix: 'Set ebs.kmsKeyID to the ARN of the key (terraform output eks_kms_key_arn).',
    docs: DOCS.encryption,
    judge: (context) => each(nodeClasses(context.inputs), (own) => customerKey(own, context)),
  },
  {
    id: 'S-39',
    title: 'Device names fit the AMI family',
    inputs: ['nodeClasses'],
    criterion:
      'Passes if the mappings name the root device of the family: /dev/xvda for Amazon Linux, /dev/xvda and /dev/xvdb for Bottlerocket, /dev/sda1 for Windows. Fails otherwise.',
    severity: 'high',
    phase: 4,
    fix: 'Use the device name of the family; EC2 rejects a launch with another.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const roots = ROOT_DEVICES[familyOf(own) ?? ''];
        const paths = mappingsOf(own);
        if (roots === undefined || paths.length === 0) return undefined;
        const names = paths.map((path) => seen(own, ...path, 'deviceName'));
        const object = objectOf(own);
        return names.some(({ value }) => roots.includes(value ?? ''))
          ? pass(`It is ${names.map(({ value }) => value).join(', ')}.`, names, { object })
          : fail(`${familyOf(own)} has the root device ${roots.join(' or ')}.`, names, { object });
      }),
  },
  {
    id: 'S-40',
    title: 'Root volumes are of a usable size and type',
    inputs: ['nodeClasses'],
    criterion:
      'Warns if a volume is smaller than 20Gi, is not gp3, or is kept when its instance is terminated.',
    severity: 'medium',
    phase: 4,
    fix: 'Set volumeSize to 20Gi or more, volumeType to gp3, and remove deleteOnTermination: false.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const paths = mappingsOf(own);
        if (paths.length === 0) return undefined;
        const found = paths.flatMap((path) => volumeDoubts(own, path));
        const object = objectOf(own);
        return found.length === 0
          ? pass(
              'All volumes are usable.',
              paths.map((path) => seen(own, ...path, 'ebs', 'volumeSize')),
              { object },
            )
          : warn(
              `${found.map(({ text }) => text).join('; ')}.`,
              found.map(({ path }) => seen(own, ...path)),
              { object },
            );
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

const MAPPINGS = ['spec', 'blockDeviceMappings'] as const;

function mappingsOf({ tree }: Manifest): readonly Path[] {
  return itemsAt(tree, ...MAPPINGS).map((_, index) => [...MAPPINGS, index]);
}

function volumeDoubts(own: Manifest, path: Path): readonly { readonly text: string; readonly path: Path }[] {
  const at = (field: string) => textAt(own.tree, ...path, 'ebs', field);
  const size = /^(\d+)(Gi|G|Ti|T)$/.exec(at('volumeSize') ?? '');
  const found: { text: string; path: Path }[] = [];
  const add = (text: string, field: string) => found.push({ text, path: [...path, 'ebs', field] });
  // The second volume of Bottlerocket holds the data; its first needs less.
  const isSmallRoot =
    familyOf(own) === 'Bottlerocket' && textAt(own.tree, ...path, 'deviceName') === '/dev/xvda';
  if (size?.[2]?.startsWith('G') === true && Number(size[1]) < (isSmallRoot ? 2 : 20))
    add(`${size[0]} is small`, 'volumeSize');
  if (at('volumeSize') === undefined && at('snapshotID') === undefined)
    add('a volume has no size', 'volumeSize');
  if (at('volumeType') !== undefined && at('volumeType') !== 'gp3')
    add(`the type is ${at('volumeType')}`, 'volumeType');
  if (at('deleteOnTermination') === 'false')
    add('a volume is kept when its instance is terminated', 'deleteOnTermination');
  return found;
}

function customerKey(own: Manifest, { facts, inputs }: CheckContext): Judgement | undefined {
  const object = objectOf(own);
  const paths = mappingsOf(own);
  const keys = paths.map((path) => seen(own, ...path, 'ebs', 'kmsKeyID'));
  if (keys.length === 0) return undefined;
  const waiting = keys.find(({ value }) => placeholderIn(value ?? '') !== undefined);
  if (waiting !== undefined) return fail(`${waiting.value} is a placeholder.`, keys, { object });
  if (keys.some(({ value, note }) => value === undefined && note === 'absent'))
    return warn('A volume is encrypted with the default key of the account, if at all.', keys, {
      object,
    });
  const gone = keys.flatMap(({ value }) => absence(inputs, 'aws_kms_key', value));
  if (gone.length > 0) return fail('A key does not exist.', [...keys, ...gone], { object });
  const disabled = liveResources(inputs, 'aws_kms_key')
    .filter(({ name }) => keys.some(({ value }) => value === name))
    .map((key) => shown(key, 'key_state'))
    .filter(({ value }) => value !== 'Enabled');
  if (disabled.length > 0) return fail(`A key is ${disabled[0]!.value}.`, [...keys, ...disabled], { object });
  const region = knownValues(facts.from('region', 'terraform', 'plan', 'state', 'live', 'values'));
  const foreign = keys.find(({ value }) => {
    const arn = parseArn(value ?? '');
    return arn !== undefined && region.length > 0 && !region.includes(arn.region);
  });
  return foreign === undefined
    ? pass('Every volume has a key.', keys, { object })
    : fail(`${foreign.value} is a key of another region than ${region.join(', ')}.`, keys, { object });
}
