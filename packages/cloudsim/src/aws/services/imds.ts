/**
 * The instance metadata service, version 2: a PUT gives a token, every GET needs one. Its answers live only for as many hops as
 * the instance allows, so that a pod behind a bridge may get none.
 */
import type { AwsContext } from '../context.ts';
import type { InstanceRecord } from '../store/records.ts';
import type { RawAnswer, RawRequest } from '../wire/protocols.ts';
import { sessionOf } from './sts.ts';

/** Why there is no answer: the packet was dropped on its way. */
export class NoAnswer extends Error {}

export class MetadataService {
  readonly #context: AwsContext;
  readonly #tokens = new Map<string, { readonly instanceId: string; readonly expiresMs: number }>();

  constructor(context: AwsContext) {
    this.#context = context;
  }

  /**
   * `hops` is 1 on the instance itself, 2 in a pod with its own network.
   * @throws {NoAnswer} when the answer does not reach the caller.
   */
  handle(
    instance: InstanceRecord,
    request: Pick<RawRequest, 'method' | 'path' | 'headers'>,
    hops = 1,
  ): RawAnswer {
    const options = instance.launched.MetadataOptions;
    if (options?.HttpEndpoint === 'disabled') return answer(403, 'Forbidden');
    if (request.method === 'PUT') {
      if (request.path !== '/latest/api/token') return answer(404, 'Not Found');
      return this.#token(instance, request, hops);
    }
    if (request.method !== 'GET') return answer(405, 'Method Not Allowed');
    const token = request.headers['x-aws-ec2-metadata-token'];
    if (token === undefined ? options?.HttpTokens === 'required' : !this.#isValid(instance, token))
      return answer(401, 'Unauthorized');
    const path = request.path.replace(/^\/(latest|\d{4}-\d\d-\d\d)\//, '');
    const value = this.#value(instance, path);
    return value === undefined ? answer(404, 'Not Found') : answer(200, value);
  }

  #token(instance: InstanceRecord, { headers }: Pick<RawRequest, 'headers'>, hops: number): RawAnswer {
    if (headers['x-forwarded-for'] !== undefined) return answer(403, 'Forbidden');
    const seconds = Number(headers['x-aws-ec2-metadata-token-ttl-seconds'] ?? Number.NaN);
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > 21_600) return answer(400, 'Bad Request');
    if (hops > (instance.launched.MetadataOptions?.HttpPutResponseHopLimit ?? 1))
      throw new NoAnswer('the answer of the metadata service exceeded its hop limit');
    const { clock, random } = this.#context.world;
    const token = Buffer.from(random.uuid() + random.uuid()).toString('base64');
    this.#tokens.set(token, { instanceId: instance.id, expiresMs: clock.now() + seconds * 1000 });
    return {
      ...answer(200, token),
      headers: { 'content-type': 'text/plain', 'x-aws-ec2-metadata-token-ttl-seconds': String(seconds) },
    };
  }

  #isValid(instance: InstanceRecord, token: string): boolean {
    const known = this.#tokens.get(token);
    if (known !== undefined && known.expiresMs <= this.#context.world.clock.now()) this.#tokens.delete(token);
    return this.#tokens.has(token) && known?.instanceId === instance.id;
  }

  /** Undefined: there is no such item. */
  #value(instance: InstanceRecord, path: string): string | undefined {
    if (path === 'user-data')
      return instance.userData === '' ? undefined : Buffer.from(instance.userData, 'base64').toString();
    if (path === 'dynamic/instance-identity/document') return this.#document(instance);
    if (!path.startsWith('meta-data/')) return undefined;
    const key = path.slice('meta-data/'.length).replace(/\/$/, '');
    if (key.startsWith('iam/')) return this.#iam(instance, key);
    return this.#items(instance)[key];
  }

  #items(instance: InstanceRecord): Readonly<Record<string, string | undefined>> {
    const { settings } = this.#context;
    const { launched, nodeName, privateIp, zone } = instance;
    const hasTags = launched.MetadataOptions?.InstanceMetadataTags === 'enabled';
    return {
      'instance-id': instance.id,
      'instance-type': instance.type,
      'instance-life-cycle': instance.spot ? 'spot' : 'on-demand',
      'ami-id': instance.imageId,
      hostname: nodeName,
      'local-hostname': nodeName,
      'local-ipv4': privateIp,
      mac: macOf(privateIp),
      'placement/availability-zone': zone,
      'placement/availability-zone-id': settings.zones.find(({ name }) => name === zone)?.id,
      'placement/region': settings.region,
      'services/domain': settings.partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com',
      'services/partition': settings.partition,
      ...(hasTags ? { 'tags/instance': instance.tags.map(({ Key = '' }) => Key).join('\n') } : {}),
    };
  }

  #iam(instance: InstanceRecord, key: string): string | undefined {
    const { account, world } = this.#context;
    const profile = instance.profileArn === undefined ? undefined : account.profileByArn(instance.profileArn);
    const role = profile?.roleName === undefined ? undefined : account.roles.get(profile.roleName);
    if (profile === undefined || role === undefined) return undefined;
    const updated = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
    if (key === 'iam/info')
      return JSON.stringify({
        Code: 'Success',
        LastUpdated: updated,
        InstanceProfileArn: profile.arn,
        InstanceProfileId: profile.id,
      });
    if (key === 'iam/security-credentials') return role.name;
    if (key !== `iam/security-credentials/${role.name}`) return undefined;
    const access = this.#context.authentication.issue(
      sessionOf(this.#context, role, instance.id),
      6 * 3_600_000,
    );
    return JSON.stringify({
      Code: 'Success',
      LastUpdated: updated,
      Type: 'AWS-HMAC',
      AccessKeyId: access.accessKeyId,
      SecretAccessKey: access.secretAccessKey,
      Token: access.sessionToken,
      Expiration: new Date(access.expiresAtMs!).toISOString(),
    });
  }

  #document(instance: InstanceRecord): string {
    const { settings } = this.#context;
    return JSON.stringify({
      accountId: settings.accountId,
      architecture: instance.launched.Architecture,
      availabilityZone: instance.zone,
      imageId: instance.imageId,
      instanceId: instance.id,
      instanceType: instance.type,
      pendingTime: new Date(instance.launchedMs).toISOString(),
      privateIp: instance.privateIp,
      region: settings.region,
      version: '2017-09-30',
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function answer(status: number, body: string): RawAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

function macOf(address: string): string {
  return ['02', '00', ...address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'))].join(
    ':',
  );
}
