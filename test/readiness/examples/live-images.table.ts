import type { AwsServer } from '@chandler/cloudsim/aws';
import { aNodeClass, aNodePool, type ExampleTable } from './example.ts';

const asItIs = () => {};
const AMI = 'ami-0123456789abcdef0';
const ARM = 'ami-0123456789abcdef1';
/** AWS publishes five variants. */
const PARAMETERS = Array.from({ length: 5 }, () => 'ssm:GetParameter');
const byId = (...ids: readonly string[]) => ({
  'class.yaml': aNodeClass(
    `  amiFamily: AL2023
  amiSelectorTerms:
${ids.map((id) => `    - id: ${id}`).join('\n')}`,
  ),
});
const byAlias = (alias: string) => ({
  'class.yaml': aNodeClass(`  amiSelectorTerms:\n    - alias: ${alias}`),
});
const BOTH = {
  'pool.yaml': aNodePool(`  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}`),
};
const sized = (size: string) => ({
  'class.yaml': `${byId(AMI)['class.yaml']}  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs:
        volumeSize: ${size}
`,
});

function addImages({ account, context }: AwsServer): void {
  for (const [ImageId, Architecture] of [
    [AMI, 'x86_64'],
    [ARM, 'arm64'],
  ] as const)
    account.images.set(ImageId, {
      ImageId,
      Architecture,
      Name: `own-${Architecture}`,
      State: 'available',
      OwnerId: context.settings.accountId,
      CreationDate: new Date(context.world.clock.now() - 86_400_000).toISOString(),
      RootDeviceName: '/dev/xvda',
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20 } }],
      Tags: [],
    });
}

export const LIVE_IMAGE_EXAMPLES: ExampleTable = {
  'S-33': {
    fails: {
      status: 'fail',
      files: byId(AMI),
      live: asItIs,
      sources: ['class.yaml:8', 'ec2:DescribeImages'],
    },
    passes: { files: byId(AMI), live: addImages, sources: ['class.yaml:8', 'ec2:DescribeImages'] },
  },
  'S-59': {
    fails: {
      status: 'fail',
      files: byAlias('al2023@latest'),
      live: ({ account }) => account.parameters.clear(),
      sources: PARAMETERS,
    },
    passes: {
      files: byAlias('al2023@latest'),
      live: asItIs,
      sources: [...PARAMETERS, ...PARAMETERS.map(() => 'ec2:DescribeImages')],
    },
  },
  'K-29': {
    fails: {
      status: 'fail',
      files: byAlias('al2023@v20200101'),
      live: asItIs,
      sources: ['class.yaml:7', ...PARAMETERS],
    },
    passes: {
      files: byAlias('al2023@v20251222'),
      live: asItIs,
      sources: ['class.yaml:7', ...PARAMETERS],
    },
  },
  'K-30': {
    fails: {
      status: 'warn',
      files: { ...byId(AMI), ...BOTH },
      live: addImages,
      sources: ['pool.yaml:9', 'ec2:DescribeImages'],
    },
    passes: {
      files: { ...byId(AMI, ARM), ...BOTH },
      live: addImages,
      sources: ['pool.yaml:9', 'ec2:DescribeImages', 'ec2:DescribeImages'],
    },
  },
  'K-32': {
    fails: {
      status: 'fail',
      files: sized('10Gi'),
      live: addImages,
      sources: ['class.yaml:12', 'ec2:DescribeImages'],
    },
    passes: { files: sized('50Gi'), live: addImages, sources: ['class.yaml:12', 'ec2:DescribeImages'] },
  },
};
