import { describe, expect, test } from 'vitest';
import type { AMISelectorTerm, EC2NodeClassSpec } from '../../../api/index.ts';
import { AwsLabel, KubernetesLabel } from '../../../api/index.ts';
import { chooseImages, type Ec2Image, imageForType, imagesStatus, typesByImage } from './choose-images.ts';
import { blockDeviceMappings, IMAGE_FAMILIES } from './image-families.table.ts';
import { type ImageQuery, imageParameters, imageQueries } from './image-queries.ts';

const classOf = (...amiSelectorTerms: AMISelectorTerm[]): EC2NodeClassSpec => ({
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
  amiSelectorTerms,
});

function parametersOf(alias: string, version: string) {
  const found = imageParameters(classOf({ alias }), version);
  if ('problem' in found) throw new Error(found.problem.message);
  return found.parameters;
}

function queriesOf(spec: EC2NodeClassSpec, values: Record<string, string> = {}) {
  const found = imageParameters(spec, '1.33');
  if ('problem' in found) throw new Error(found.problem.message);
  return imageQueries(spec, found.parameters, new Map(Object.entries(values)));
}

const NOW = Date.parse('2026-06-01T00:00:00Z');
const EKS = '/aws/service/eks/optimized-ami';

describe('SSM parameters', () => {
  test.each<[string, string, readonly string[]]>([
    [
      'al2@latest',
      '1.32',
      [
        `${EKS}/1.32/amazon-linux-2/recommended/image_id`,
        `${EKS}/1.32/amazon-linux-2-arm64/recommended/image_id`,
        `${EKS}/1.32/amazon-linux-2-gpu/recommended/image_id`,
      ],
    ],
    [
      'al2@v20240807',
      '1.30',
      [
        `${EKS}/1.30/amazon-linux-2/amazon-eks-node-1.30-v20240807/image_id`,
        `${EKS}/1.30/amazon-linux-2-arm64/amazon-eks-arm64-node-1.30-v20240807/image_id`,
        `${EKS}/1.30/amazon-linux-2-gpu/amazon-eks-gpu-node-1.30-v20240807/image_id`,
      ],
    ],
    [
      'al2023@latest',
      '1.33.4',
      [
        `${EKS}/1.33/amazon-linux-2023/x86_64/standard/recommended/image_id`,
        `${EKS}/1.33/amazon-linux-2023/x86_64/nvidia/recommended/image_id`,
        `${EKS}/1.33/amazon-linux-2023/x86_64/neuron/recommended/image_id`,
        `${EKS}/1.33/amazon-linux-2023/arm64/standard/recommended/image_id`,
        `${EKS}/1.33/amazon-linux-2023/arm64/nvidia/recommended/image_id`,
      ],
    ],
    [
      'bottlerocket@v1.46.0',
      '1.33',
      [
        '/aws/service/bottlerocket/aws-k8s-1.33/x86_64/1.46.0/image_id',
        '/aws/service/bottlerocket/aws-k8s-1.33/arm64/1.46.0/image_id',
        '/aws/service/bottlerocket/aws-k8s-1.33-nvidia/x86_64/1.46.0/image_id',
        '/aws/service/bottlerocket/aws-k8s-1.33-nvidia/arm64/1.46.0/image_id',
      ],
    ],
    [
      'windows2025@latest',
      '1.35',
      ['/aws/service/ami-windows-latest/Windows_Server-2025-English-Core-EKS_Optimized-1.35/image_id'],
    ],
  ])('%s on Kubernetes %s', (alias, version, expected) => {
    const parameters = parametersOf(alias, version);
    expect(parameters.map(({ Name }) => Name)).toEqual(expected);
    expect(parameters.every(({ mutable }) => mutable === alias.endsWith('@latest'))).toBe(true);
  });

  test('a pinned image of AL2023 has its name in the path', () => {
    expect(parametersOf('al2023@v20260801', '1.33')[3]!.Name).toBe(
      `${EKS}/1.33/amazon-linux-2023/arm64/standard/amazon-eks-node-al2023-arm64-standard-1.33-v20260801/image_id`,
    );
  });

  test('a bad alias, and one without images for the version, are problems', () => {
    expect(imageParameters(classOf({ alias: 'al2@a@b' }), '1.32')).toMatchObject({
      problem: { reason: 'InvalidAlias' },
    });
    expect(imageParameters(classOf({ alias: 'al2@latest' }), '1.33')).toMatchObject({
      problem: { reason: 'UnsupportedAlias', path: 'spec.amiSelectorTerms[0].alias' },
    });
  });

  test('a parameter of the class is kept for five minutes, and one beside an id is not read', () => {
    const found = imageParameters(
      classOf({ ssmParameter: '/own' }, { id: 'ami-1', ssmParameter: '/other' }),
      '1.33',
    );
    expect(found).toMatchObject({
      parameters: [{ Name: '/own', ttlMs: 300_000, path: 'spec.amiSelectorTerms[0].ssmParameter' }],
    });
  });
});

describe('what DescribeImages is asked', () => {
  const common = { IncludeDeprecated: true, MaxResults: 1000 };
  const available = { Name: 'state', Values: ['available'] };

  test('ids and the values of parameters are one question', () => {
    const asked = queriesOf(classOf({ id: 'ami-2' }, { ssmParameter: '/own' }, { id: 'ami-1' }), {
      '/own': 'ami-3',
    });
    expect(asked).toMatchObject({
      queries: [
        {
          input: {
            ...common,
            Filters: [{ Name: 'image-id', Values: ['ami-1', 'ami-2', 'ami-3'] }, available],
          },
        },
      ],
    });
    expect('queries' in asked && asked.queries[0]!.input.Owners).toBeUndefined();
  });

  test.each<[string, AMISelectorTerm, object]>([
    [
      'a name is looked for among own images and those of Amazon',
      { name: 'web-*' },
      { Owners: ['self', 'amazon'], Filters: [{ Name: 'name', Values: ['web-*'] }, available] },
    ],
    [
      'an owner replaces these',
      { name: 'web-*', owner: '123456789012' },
      { Owners: ['123456789012'], Filters: [{ Name: 'name', Values: ['web-*'] }, available] },
    ],
    [
      'tags, of which one may have any value',
      { tags: { team: 'web', env: '*' } },
      { Filters: [{ Name: 'tag-key', Values: ['env'] }, { Name: 'tag:team', Values: ['web'] }, available] },
    ],
  ])('%s', (_, term, expected) => {
    const asked = queriesOf(classOf(term));
    expect('queries' in asked && asked.queries.map(({ input }) => input)).toEqual([
      { ...common, ...expected },
    ]);
  });

  test('a parameter that is missing, or holds something else, is skipped with a sentence', () => {
    const asked = queriesOf(classOf({ ssmParameter: '/a' }, { ssmParameter: '/b' }), { '/b': 'nonsense' });
    expect(asked).toMatchObject({ queries: [] });
    expect(asked.skipped.map(({ message }) => message)).toEqual([
      'spec.amiSelectorTerms[0].ssmParameter: the SSM parameter /a does not exist',
      'spec.amiSelectorTerms[1].ssmParameter: the value of the SSM parameter /b is not the id of an image',
    ]);
  });

  test('an alias needs one of its parameters, not all', () => {
    const [first] = parametersOf('al2023@latest', '1.33');
    const asked = queriesOf(classOf({ alias: 'al2023@latest' }), { [first!.Name]: 'ami-1' });
    expect(asked).toMatchObject({ queries: [{ input: { Filters: [{ Values: ['ami-1'] }, available] } }] });
    expect(asked.skipped).toHaveLength(4);
    expect(queriesOf(classOf({ alias: 'al2023@latest' }))).toMatchObject({
      problem: { reason: 'AMINotFound' },
    });
  });

  test('one image of two parameters is for the nodes of both', () => {
    const [standard, nvidia] = parametersOf('al2023@latest', '1.33');
    const asked = queriesOf(classOf({ alias: 'al2023@latest' }), {
      [standard!.Name]: 'ami-1',
      [nvidia!.Name]: 'ami-1',
    });
    if (!('queries' in asked)) throw new Error('no query');
    const images = chooseImages([{ query: asked.queries[0]!, images: [anImage({})] }], NOW);
    expect(images.map(({ id }) => id)).toEqual(['ami-1', 'ami-1']);
  });
});

const anImage = (image: Ec2Image): Ec2Image => ({
  ImageId: 'ami-1',
  Name: 'image-1',
  Architecture: 'x86_64',
  CreationDate: '2026-01-01T00:00:00.000Z',
  ...image,
});
const ANY: ImageQuery = {
  input: { Filters: [], IncludeDeprecated: true, MaxResults: 1000 },
  known: new Map(),
};
const choose = (...images: Ec2Image[]) =>
  chooseImages([{ query: ANY, images: images.map(anImage) }], NOW).map(({ id }) => id);

describe('which images are used', () => {
  test.each<[string, Ec2Image, Ec2Image]>([
    ['the newer one', { CreationDate: '2026-02-01T00:00:00Z' }, {}],
    [
      'the one that is not deprecated',
      { CreationDate: '2020-01-01T00:00:00Z' },
      { DeprecationTime: '2026-05-31T00:00:00Z' },
    ],
    ['the larger name of two of the same age', { Name: 'image-2' }, { Name: 'image-1' }],
    ['any, before one whose age is unknown', {}, { CreationDate: 'nonsense' }],
  ])('%s of two for the same nodes, in whichever order they come', (_, better, other) => {
    const [first, second] = [
      { ...better, ImageId: 'ami-b' },
      { ...other, ImageId: 'ami-a' },
    ];
    expect(choose(first, second)).toEqual(['ami-b']);
    expect(choose(second, first)).toEqual(['ami-b']);
  });

  test('a deprecation that is still to come does not count, one of this second does', () => {
    const at = (DeprecationTime: string) =>
      chooseImages([{ query: ANY, images: [anImage({ DeprecationTime })] }], NOW)[0]!.deprecated;
    expect([at('2026-06-01T00:00:01Z'), at('2026-06-01T00:00:00Z')]).toEqual([false, true]);
  });

  test('one for each architecture, newest first, then by id; others than those of nodes are left out', () => {
    const arm = { Architecture: 'arm64' };
    expect(
      choose({ ImageId: 'ami-b' }, { ...arm, ImageId: 'ami-a' }, { Architecture: 'i386', ImageId: 'ami-c' }),
    ).toEqual(['ami-a', 'ami-b']);
    expect(
      choose({ ImageId: 'ami-a' }, { ...arm, ImageId: 'ami-b', CreationDate: '2026-02-01T00:00:00Z' }),
    ).toEqual(['ami-b', 'ami-a']);
  });

  test('the status lists them with their requirements, by the length of the key as Karpenter does', () => {
    const known = new Map([['ami-1', IMAGE_FAMILIES.Windows2022.images[0]!.requirements]]);
    const images = chooseImages(
      [{ query: { ...ANY, known }, images: [anImage({ DeprecationTime: '2020-01-01T00:00:00Z' })] }],
      NOW,
    );
    expect(imagesStatus(images)).toEqual([
      {
        id: 'ami-1',
        name: 'image-1',
        deprecated: true,
        requirements: [
          { key: 'kubernetes.io/os', operator: 'In', values: ['windows'] },
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
          { key: 'node.kubernetes.io/windows-build', operator: 'In', values: ['10.0.20348'] },
        ],
      },
    ]);
  });
});

describe('the image of an instance type', () => {
  const type = (name: string, arch: string, gpus?: string, accelerators?: string) => ({
    name,
    requirements: [
      { key: KubernetesLabel.arch, operator: 'In', values: [arch] },
      count(AwsLabel.gpuCount, gpus),
      count(AwsLabel.acceleratorCount, accelerators),
    ],
  });
  const count = (key: string, value: string | undefined) =>
    value === undefined ? { key, operator: 'DoesNotExist' } : { key, operator: 'In', values: [value] };
  const TYPES = [
    type('m5.large', 'amd64'),
    type('m7g.large', 'arm64'),
    type('g5.xlarge', 'amd64', '1'),
    type('inf2.xlarge', 'amd64', undefined, '1'),
  ];

  function imagesOf(alias: string, version: string) {
    const parameters = parametersOf(alias, version);
    const values = Object.fromEntries(parameters.map(({ Name }, index) => [Name, `ami-${index}`]));
    const asked = imageQueries(classOf({ alias }), parameters, new Map(Object.entries(values)));
    if (!('queries' in asked)) throw new Error(asked.problem.message);
    const images = parameters.map(({ Name }, index) =>
      anImage({ ImageId: `ami-${index}`, Architecture: /arm64/.test(Name) ? 'arm64' : 'x86_64' }),
    );
    return chooseImages([{ query: asked.queries[0]!, images }], NOW);
  }

  test.each<[string, string, readonly (string | undefined)[]]>([
    ['al2@latest', '1.32', ['ami-0', 'ami-1', 'ami-2', 'ami-2']],
    ['al2023@latest', '1.33', ['ami-0', 'ami-3', 'ami-1', 'ami-2']],
    ['bottlerocket@latest', '1.33', ['ami-0', 'ami-1', 'ami-2', 'ami-0']],
  ])('%s: plain, ARM, GPU, Neuron', (alias, version, expected) => {
    const images = imagesOf(alias, version);
    expect(TYPES.map((each) => imageForType(images, each)?.id)).toEqual(expected);
  });

  test('is none where no image fits, and one list for each image', () => {
    const images = imagesOf('al2@latest', '1.32').filter(({ id }) => id !== 'ami-1');
    expect(imageForType(images, TYPES[1]!)).toBeUndefined();
    const lists = [...typesByImage(images, TYPES)].map(([{ id }, types]) => [
      id,
      types.map(({ name }) => name),
    ]);
    expect(lists).toEqual([
      ['ami-0', ['m5.large']],
      ['ami-2', ['inf2.xlarge']],
      ['ami-2', ['g5.xlarge']],
    ]);
  });

  test('an image without known requirements is for every type of its architecture', () => {
    const images = chooseImages([{ query: ANY, images: [anImage({})] }], NOW);
    expect(TYPES.map((each) => imageForType(images, each)?.id)).toEqual([
      'ami-1',
      undefined,
      'ami-1',
      'ami-1',
    ]);
  });
});

describe('disks', () => {
  test('those of the class replace those of the family, all of them', () => {
    expect(
      blockDeviceMappings('Bottlerocket', undefined).map(({ deviceName, ebs }) => [deviceName, ebs]),
    ).toEqual([
      ['/dev/xvda', { encrypted: true, volumeType: 'gp3', volumeSize: '4Gi' }],
      ['/dev/xvdb', { encrypted: true, volumeType: 'gp3', volumeSize: '20Gi' }],
    ]);
    expect(blockDeviceMappings('AL2023', [])[0]!.ebs!.volumeSize).toBe('20Gi');
    expect(blockDeviceMappings('Windows2022', undefined)[0]!.ebs!.volumeSize).toBe('50Gi');
    expect(blockDeviceMappings('Custom', undefined)).toEqual([]);
    const own = [{ deviceName: '/dev/xvda', ebs: { volumeSize: '100Gi' } }];
    expect(blockDeviceMappings('AL2023', own)).toBe(own);
  });
});
