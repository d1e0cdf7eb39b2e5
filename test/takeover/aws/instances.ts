/** Instance profiles, launch templates and instances as Karpenter's provider asks IAM and EC2 for them, call by call. */
import type { AwsServer } from '@chandler/cloudsim/aws';
import { type InstanceRecord, type RawResult, TestAws } from '@chandler/cloudsim/aws/testing';
import type { World } from '@chandler/kube';
import type { PoolName } from '../objects.ts';
import { launchTags, profileTags, ROLE, standardImage } from './objects.ts';

/** A number of 64 bits is the hash of the content, or of a random name. */
export const TEMPLATES: Readonly<Record<PoolName, string>> = {
  general: 'karpenter.k8s.aws/9214364837600034817',
  spot: 'karpenter.k8s.aws/4611686018427387905',
};

export class KarpenterCalls {
  readonly server: AwsServer;
  readonly #aws: TestAws<World>;

  constructor(server: AwsServer, world: World) {
    this.server = server;
    this.#aws = new TestAws(server, world);
  }

  /** @param classUid the owner, by the path. */
  async createProfile(name: string, classUid: string): Promise<void> {
    const { region, clusterName } = this.server.settings;
    const tags = Object.entries(profileTags(region)).flatMap(([key, value], at) => [
      [`Tags.member.${at + 1}.Key`, key],
      [`Tags.member.${at + 1}.Value`, value],
    ]);
    await answered(
      this.#aws.query('iam', 'CreateInstanceProfile', {
        InstanceProfileName: name,
        Path: `/karpenter/${region}/${clusterName}/${classUid}/`,
        ...Object.fromEntries(tags),
      }),
    );
    const added = { InstanceProfileName: name, RoleName: ROLE };
    await answered(this.#aws.query('iam', 'AddRoleToInstanceProfile', added));
  }

  async createTemplate(pool: PoolName, profile: string, name = TEMPLATES[pool]): Promise<void> {
    const groups = [...this.server.account.securityGroups.values()]
      .filter(({ Tags }) => Tags?.some(({ Key }) => Key === 'karpenter.sh/discovery'))
      .map(({ GroupId }) => GroupId);
    const tagged = ['network-interface', ...(pool === 'spot' ? ['spot-instances-request'] : [])];
    const data = {
      BlockDeviceMappings: [
        {
          DeviceName: '/dev/xvda',
          Ebs: { VolumeSize: 100, VolumeType: 'gp3', Encrypted: true, DeleteOnTermination: true },
        },
      ],
      CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
      EnclaveOptions: { Enabled: false },
      IamInstanceProfile: { Name: profile },
      ImageId: standardImage(this.server),
      MetadataOptions: {
        HttpEndpoint: 'enabled',
        HttpProtocolIpv6: 'disabled',
        HttpPutResponseHopLimit: 1,
        HttpTokens: 'required',
        InstanceMetadataTags: 'disabled',
      },
      Monitoring: { Enabled: false },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: groups }],
      Placement: { Tenancy: 'default' },
      TagSpecifications: tagged.map((type) => specification(type, pool)),
      // It starts no kubelet: the nodes are written by the tests.
      UserData: Buffer.from('#!/bin/bash\n').toString('base64'),
    };
    await answered(
      this.#aws.ec2('CreateLaunchTemplate', {
        LaunchTemplateName: name,
        LaunchTemplateData: data,
        TagSpecifications: [specification('launch-template', pool)],
      }),
    );
  }

  /** An m5.xlarge; the zone by its number. */
  async launch(pool: PoolName, zone: number): Promise<InstanceRecord> {
    const subnet = [...this.server.account.subnets.values()][zone]!;
    const isSpot = pool === 'spot';
    const { text } = await answered(
      this.#aws.ec2('CreateFleet', {
        Type: 'instant',
        LaunchTemplateConfigs: [
          {
            LaunchTemplateSpecification: { LaunchTemplateName: TEMPLATES[pool], Version: '$Latest' },
            Overrides: [{ InstanceType: 'm5.xlarge', SubnetId: subnet.id, AvailabilityZone: subnet.zone }],
          },
        ],
        TargetCapacitySpecification: {
          TotalTargetCapacity: 1,
          DefaultTargetCapacityType: isSpot ? 'spot' : 'on-demand',
        },
        ...(isSpot
          ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
          : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
        TagSpecifications: ['instance', 'volume', 'fleet'].map((type) => specification(type, pool)),
      }),
    );
    const id = /<item>(i-[0-9a-f]+)<\/item>/.exec(text)?.[1];
    if (id === undefined) throw new Error(`CreateFleet launched nothing: ${text}`);
    return this.server.instances.get(id)!;
  }

  /** As the tagging controller does when the node has a name. */
  async tag({ id, nodeName }: InstanceRecord, claimName: string): Promise<void> {
    const Tags = tagList({ Name: nodeName, 'karpenter.sh/nodeclaim': claimName });
    await answered(this.#aws.ec2('CreateTags', { Resources: [id], Tags }));
  }
}

// ---------------------------------------------------------------------------------------------------

function specification(ResourceType: string, pool: PoolName) {
  return { ResourceType, Tags: tagList(launchTags(pool)) };
}

function tagList(tags: Readonly<Record<string, string>>) {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

async function answered(call: Promise<RawResult>): Promise<RawResult> {
  const result = await call;
  if (result.status >= 300) throw new Error(`${result.status} ${result.text}`);
  return result;
}
