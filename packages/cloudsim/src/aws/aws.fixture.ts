/**
 * An AWS for tests: raw calls that are signed as an SDK signs them, at the time of the world's clock, in process. The official
 * SDK clients are used over HTTP where a test needs a wire.
 */
import type { World } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { type AwsServer, type AwsServerOptions, startAwsServer } from './aws-server.ts';
import { NODE_GROUP_ID, subnetIdOf } from './store/furnish.ts';
import type { AccessKey } from './wire/authentication.ts';
import { EC2_ACTIONS } from './wire/ec2-shapes.table.ts';
import { type MemberType, membersOf } from './wire/shapes.ts';
import { amzDate, signatureOf } from './wire/sigv4.ts';

export interface RawResult {
  readonly status: number;
  readonly text: string;
  /** Of the error, if it is one. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export class TestAws<W extends World = VirtualWorld> {
  readonly server: AwsServer;
  readonly world: W;
  /** Added to the time of signatures. */
  skewMs = 0;

  constructor(server: AwsServer, world: W) {
    this.server = server;
    this.world = world;
  }

  /** A call of EC2, with parameters by the names of the SDKs. */
  ec2(action: string, params: Readonly<Record<string, unknown>> = {}, key?: AccessKey): Promise<RawResult> {
    const form = new URLSearchParams({ Action: action, Version: '2016-11-15' });
    encode(form, '', { kind: 'structure', shape: EC2_ACTIONS[action]![0] }, params);
    return this.call('ec2', { method: 'POST', path: '/', body: form.toString(), headers: FORM }, key);
  }

  json(service: keyof typeof TARGETS, action: string, body: object, key?: AccessKey): Promise<RawResult> {
    const target = TARGETS[service];
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `${target}.${action}` };
    return this.call(service, { method: 'POST', path: '/', body: JSON.stringify(body), headers }, key);
  }

  /** IAM and STS; lists of plain objects only. */
  query(service: 'iam' | 'sts', action: string, params: Readonly<Record<string, string>>, key?: AccessKey) {
    const form = new URLSearchParams({ Action: action, Version: '2010-05-08', ...params });
    return this.call(service, { method: 'POST', path: '/', body: form.toString(), headers: FORM }, key);
  }

  async call(
    service: string,
    request: { method: string; path: string; body?: string; headers?: Record<string, string> },
    key: AccessKey = this.server.credentials,
  ): Promise<RawResult> {
    const url = new URL(request.path, `http://${service}.us-west-2.amazonaws.com`);
    const date = amzDate(this.world.clock.now() + this.skewMs);
    const headers: Record<string, string> = {
      ...request.headers,
      host: url.host,
      'x-amz-date': date,
      ...(key.sessionToken === undefined ? {} : { 'x-amz-security-token': key.sessionToken }),
    };
    const signedHeaders = Object.keys(headers).sort();
    const scope = { day: date.slice(0, 8), region: this.server.settings.region, service, signedHeaders };
    const body = request.body ?? '';
    const signed = { method: request.method, target: url.pathname + url.search, headers, body };
    const signature = signatureOf(key.secretAccessKey, signed, scope);
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope.day}/${scope.region}/${service}/aws4_request, ` +
      `SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
    const response = await this.server.fetch(url, {
      method: request.method,
      headers,
      ...(body === '' ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, text, ...errorOf(response, text) };
  }

  /** The texts of all elements with this name. */
  static values(text: string, element: string): readonly string[] {
    return [...text.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map((match) => match[1]!);
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

export async function testAws(options: Partial<AwsServerOptions> = {}): Promise<TestAws> {
  const world = virtualWorld();
  const server = await startAwsServer({ world, listen: false, ...options });
  return new TestAws(server, world);
}

/** Tags that the policy of a controller asks for. */
export function ownedTags(
  clusterName = 'playground',
): readonly { readonly Key: string; readonly Value: string }[] {
  return [
    { Key: `kubernetes.io/cluster/${clusterName}`, Value: 'owned' },
    { Key: 'eks:eks-cluster-name', Value: clusterName },
    { Key: 'karpenter.sh/nodepool', Value: 'default' },
    { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
  ];
}

/** The newest image of a name. */
export function imageNamed(server: AwsServer, part: string): string {
  const images = [...server.account.images.values()].filter(({ Name }) => Name?.includes(part));
  images.sort((one, other) => (one.CreationDate! < other.CreationDate! ? 1 : -1));
  return images[0]!.ImageId!;
}

/** A launch template with an image, a network interface and tags. */
export function templateParams(
  server: AwsServer,
  change: Readonly<Record<string, unknown>> = {},
  name = 'karpenter.k8s.aws/1',
) {
  const specification = (ResourceType: string) => ({
    ResourceType,
    Tags: ownedTags(server.settings.clusterName),
  });
  return {
    LaunchTemplateName: name,
    LaunchTemplateData: {
      ImageId: imageNamed(server, `al2023-x86_64-standard-${server.settings.kubernetesMinor}`),
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: [NODE_GROUP_ID] }],
      MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1, HttpEndpoint: 'enabled' },
      TagSpecifications: [specification('network-interface')],
      ...change,
    },
    TagSpecifications: [specification('launch-template')],
  };
}

/** A fleet that launches `count` instances of these types in these zones. */
export function fleetParams(
  server: AwsServer,
  options: {
    readonly types?: readonly string[];
    readonly zones?: readonly number[];
    readonly count?: number;
    readonly capacity?: 'spot' | 'on-demand';
    readonly template?: string;
    readonly token?: string;
  } = {},
) {
  const {
    types = ['m5.large'],
    zones = [0],
    count = 1,
    capacity = 'on-demand',
    template = 'karpenter.k8s.aws/1',
  } = options;
  const specification = (ResourceType: string) => ({
    ResourceType,
    Tags: ownedTags(server.settings.clusterName),
  });
  return {
    Type: 'instant',
    ...(options.token === undefined ? {} : { ClientToken: options.token }),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: template, Version: '$Latest' },
        Overrides: types.flatMap((InstanceType) =>
          zones.map((zone) => ({
            InstanceType,
            SubnetId: subnetIdOf(zone),
            AvailabilityZone: server.settings.zones[zone]!.name,
          })),
        ),
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: capacity },
    ...(capacity === 'spot'
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
      : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
    TagSpecifications: ['instance', 'volume', 'fleet'].map(specification),
  };
}

// ---------------------------------------------------------------------------------------------------

/** By service: the first part of `x-amz-target`. */
const TARGETS = {
  events: 'AWSEvents',
  kms: 'TrentService',
  pricing: 'AWSPriceListService',
  servicequotas: 'ServiceQuotasV20190624',
  sqs: 'AmazonSQS',
  ssm: 'AmazonSSM',
} as const;

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function encode(form: URLSearchParams, path: string, type: MemberType, value: unknown): void {
  if (value === undefined) return;
  if (type.kind === 'structure')
    for (const member of membersOf(type.shape)) {
      const inner = (value as Record<string, unknown>)[member.name];
      encode(form, path === '' ? member.queryName : `${path}.${member.queryName}`, member.type, inner);
    }
  else if (type.kind === 'list')
    for (const [index, each] of (value as readonly unknown[]).entries())
      encode(form, `${path}.${index + 1}`, type.of, each);
  else form.set(path, value instanceof Date ? value.toISOString() : String(value));
}

function errorOf(response: Response, text: string): Pick<RawResult, 'code' | 'message'> {
  if (response.status < 400) return { code: undefined, message: undefined };
  if (text.startsWith('<')) {
    const unescaped = (part: string | undefined) =>
      part
        ?.replaceAll('&quot;', '"')
        .replaceAll('&apos;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&');
    return {
      code: /<Code>([^<]*)</.exec(text)?.[1],
      message: unescaped(/<Message>([^<]*)</.exec(text)?.[1]),
    };
  }
  const body = JSON.parse(text) as { __type?: string; message?: string };
  const code = response.headers.get('x-amzn-errortype') ?? body.__type?.split('#').at(-1);
  return { code, message: body.message };
}
