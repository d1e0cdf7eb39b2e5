/**
 * The state of AWS, read from the account directly: instances, launch templates and instance profiles, and for which claims
 * instances were launched. A launch for one claim names it in its token; one for several claims is told by the records that
 * the claims keep, in the order of the ids.
 */
import type { AwsServer } from '@chandler/cloudsim/aws';
import { type CloudChange, type CloudPart, type CloudState, INSTANCE } from '../server-state/cloud-state.ts';
import type { KubeState } from '../server-state/kube-state.ts';

export interface Keeper {
  readonly uid: string;
  readonly name: string;
  readonly position: number;
}

interface AwsPart extends CloudPart {
  /** Of the launch of an instance. */
  readonly token: string | undefined;
  /** The claim that a tag of the instance names. */
  readonly claimName: string | undefined;
  /** Name or UID of the node class of a template or profile. */
  readonly owner: string | undefined;
  readonly nodeName: string | undefined;
}

/** After this time a template that no launch has used has to be deleted. */
const TEMPLATE_UNUSED_MS = 5 * 60_000;

export class AwsState implements CloudState {
  readonly #server: AwsServer;
  readonly #kube: KubeState;
  readonly #things = new Map<string, AwsPart>();
  /** Claims that keep or kept a record with this token. */
  readonly #keepers = new Map<string, Map<string, Keeper>>();
  /** Of the newest record, by UID of the claim. A claim that left a launch before it was sent is part of another one. */
  readonly #newestTokens = new Map<string, string>();
  /** When templates were created or last launched from. */
  readonly #templateUsesMs = new Map<string, number>();
  readonly #launchedTokens = new Map<string, string>();
  /** Instances with a warning. */
  readonly #warned = new Set<string>();

  constructor(server: AwsServer, kube: KubeState) {
    this.#server = server;
    this.#kube = kube;
    const { events } = server;
    const warn = events.spotInterruption.bind(events);
    events.spotInterruption = (instance) => {
      this.#warned.add(instance.id);
      warn(instance);
    };
  }

  list(): readonly AwsPart[] {
    return [...this.#things.values()];
  }

  instanceOf(claimUid: string): CloudPart | undefined {
    return this.#instances().find((instance) => this.claimOf(instance) === claimUid);
  }

  claimOf(part: CloudPart): string | undefined {
    const { id, token, claimName } = part as AwsPart;
    if (part.part !== INSTANCE) return undefined;
    const named = this.#kube.list('claims').find(({ status }) => status?.providerID?.endsWith(`/${id}`));
    if (named !== undefined) return named.metadata.uid;
    const keepers = this.keepersOf(token ?? '');
    if (keepers.length === 0) return /^chandler-(.+)-\d+$/.exec(token ?? '')?.[1];
    if (claimName !== undefined) return keepers.find(({ name }) => name === claimName)?.uid;
    const present = keepers.filter(({ uid }) => this.#newestTokens.get(uid) === token);
    present.sort((one, other) => one.position - other.position);
    return present[this.#idsOf(token ?? '').indexOf(id)]?.uid;
  }

  /** Claims that were part of the launch with this token. */
  keepersOf(token: string): readonly Keeper[] {
    return [...(this.#keepers.get(token)?.values() ?? [])];
  }

  /** Of all instances that were ever launched with the token. */
  launchedWith(token: string): number {
    return this.#idsOf(token).length;
  }

  tokenOf(part: CloudPart): string | undefined {
    return (part as AwsPart).token;
  }

  orphans(): readonly CloudPart[] {
    return this.list().filter((thing) => this.#isOrphan(thing));
  }

  isInterrupted({ id }: CloudPart): boolean {
    const instance = this.#server.instances.get(id);
    if (instance === undefined) return true;
    const { state, events, instanceImpairedMs, systemImpairedMs } = instance;
    const isImpaired = instanceImpairedMs !== undefined || systemImpairedMs !== undefined;
    return (
      (state !== 'running' && state !== 'pending') || events.length > 0 || isImpaired || this.#warned.has(id)
    );
  }

  /** Interrupted instances are replaced, unused templates and handled messages deleted. */
  unfinished(): string | undefined {
    const interrupted = this.#instances().find((each) => this.isInterrupted(each));
    if (interrupted !== undefined) return `instance ${interrupted.id} is interrupted`;
    const template = this.list().find(({ part }) => part === TEMPLATE);
    if (template !== undefined) return `launch template ${template.name} is still there`;
    const messages = this.#server.queue.list().length;
    return messages === 0 ? undefined : `there are ${messages} messages on the queue`;
  }

  nodeNames(): ReadonlySet<string> {
    return new Set(this.#instances().flatMap(({ nodeName, up }) => (up && nodeName ? [nodeName] : [])));
  }

  drain(listener: (change: CloudChange) => void): void {
    this.#noteRecords();
    const now = new Map(this.#read().map((thing) => [`${thing.part} ${thing.id}`, thing]));
    const changes: CloudChange[] = [];
    for (const [key, thing] of this.#things)
      if (!now.has(key)) changes.push({ type: 'gone', thing, isNew: false });
    for (const [key, thing] of now) {
      const before = this.#things.get(key);
      if (before === undefined) changes.push({ type: 'put', thing, isNew: true });
      else if (!isSame(before, thing)) changes.push({ type: 'put', thing, isNew: false });
    }
    if (changes.length === 0) return;
    this.#things.clear();
    for (const [key, thing] of now) this.#things.set(key, thing);
    for (const change of changes) listener(change);
  }

  #instances(): readonly AwsPart[] {
    return this.list().filter(({ part }) => part === INSTANCE);
  }

  #idsOf(token: string): readonly string[] {
    return [...this.#launchedTokens].flatMap(([id, with_]) => (with_ === token ? [id] : [])).sort();
  }

  #isOrphan(thing: AwsPart): boolean {
    const { part, owner, id } = thing;
    if (part === INSTANCE) {
      const uid = this.claimOf(thing);
      return uid === undefined || this.#kube.byUid('claims', uid) === undefined;
    }
    if (part === PROFILE) return this.#kube.byUid('classes', owner ?? '') === undefined;
    const unusedMs = this.#server.context.world.clock.now() - (this.#templateUsesMs.get(id) ?? 0);
    return this.#kube.get('classes', owner ?? '') === undefined || unusedMs > TEMPLATE_UNUSED_MS;
  }

  #noteRecords(): void {
    for (const { metadata } of this.#kube.list('claims')) {
      const record = metadata.annotations?.[LAUNCH_RECORD];
      const [token, , position] = record?.split(' ') ?? [];
      if (token === undefined) continue;
      this.#newestTokens.set(metadata.uid!, token);
      const keepers = this.#keepers.get(token) ?? new Map<string, Keeper>();
      this.#keepers.set(token, keepers);
      if (!keepers.has(metadata.uid!))
        keepers.set(metadata.uid!, {
          uid: metadata.uid!,
          name: metadata.name!,
          position: Number(position),
        });
    }
  }

  #read(): readonly AwsPart[] {
    const { account, context } = this.#server;
    const things: AwsPart[] = [];
    for (const {
      id,
      state,
      type,
      spot,
      reservedBy,
      tags,
      nodeName,
      launchedMs,
    } of account.instances.values()) {
      const token = tagOf(tags, LAUNCH_TOKEN);
      if (token !== undefined) this.#launchedTokens.set(id, token);
      const template = tagOf(tags, 'aws:ec2launchtemplate:id');
      if (template !== undefined) this.#use(template, launchedMs);
      if (state === 'terminated') continue;
      const claimName = tagOf(tags, 'karpenter.sh/nodeclaim');
      const [deleting, up] = [state === 'shutting-down', state === 'running'];
      const capacity = spot ? 'spot' : reservedBy === undefined ? 'on-demand' : 'reserved';
      const own = { token, claimName, owner: undefined, nodeName };
      things.push({ part: INSTANCE, name: id, id, instanceId: id, type, capacity, deleting, up, ...own });
    }
    for (const { template } of account.launchTemplates.values()) {
      const { LaunchTemplateId: id = '', LaunchTemplateName: name = '', Tags = [] } = template;
      if (!this.#templateUsesMs.has(id)) this.#use(id, context.world.clock.now());
      things.push({ ...RESOURCE, part: TEMPLATE, name, id, owner: tagOf(Tags, NODE_CLASS) });
    }
    for (const { name, path } of account.instanceProfiles.values()) {
      const [, owner] = /^\/karpenter\/[^/]+\/[^/]+\/([^/]+)\/$/.exec(path) ?? [];
      things.push({ ...RESOURCE, part: PROFILE, name, id: name, owner });
    }
    return things;
  }

  #use(templateId: string, atMs: number): void {
    this.#templateUsesMs.set(templateId, Math.max(atMs, this.#templateUsesMs.get(templateId) ?? 0));
  }
}

// ---------------------------------------------------------------------------------------------------

const TEMPLATE = 'template';
const PROFILE = 'profile';
const LAUNCH_TOKEN = 'chandler.sh/launch-token';
const LAUNCH_RECORD = 'chandler.sh/launch-record';
const NODE_CLASS = 'karpenter.k8s.aws/ec2nodeclass';

const RESOURCE = {
  instanceId: undefined,
  type: undefined,
  capacity: 'on-demand' as const,
  deleting: false,
  up: true,
  token: undefined,
  claimName: undefined,
  nodeName: undefined,
};

function tagOf(
  tags: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[],
  key: string,
): string | undefined {
  return tags.find(({ Key }) => Key === key)?.Value;
}

function isSame(one: AwsPart, other: AwsPart): boolean {
  return one.deleting === other.deleting && one.up === other.up && one.claimName === other.claimName;
}
