/**
 * One instance from the inside: it boots, reads its user data from the metadata service, becomes a node or fails as a real one
 * does, and writes its console. Faults of the machine take effect here; this file decides order and time.
 */
import type { KubeClient, Timer } from '@chandler/kube';
import type { NodeHost } from '../../node-host.ts';
import type { AwsServer } from '../aws-server.ts';
import type { Fault } from '../faults/fault.ts';
import { numberOf } from '../faults/parse-fault.ts';
import type { InstanceRecord } from '../store/records.ts';
import * as log from './boot-log.ts';
import { describeNode, initializeNode } from './cloud-node.ts';
import { type JoinParts, refusalOf } from './join.ts';
import { planNode } from './node-plan.ts';
import { BootstrapError, type NodeSettings } from './node-settings.ts';
import { readUserData, type System, systemOf } from './user-data.ts';

export interface MachineParts {
  readonly server: AwsServer;
  readonly nodeHost: NodeHost;
  readonly client: KubeClient;
  readonly join: JoinParts;
  /** `1.36.3`. */
  readonly kubernetesVersion: string;
  /** From power-on to Ready. */
  readonly bootMs: () => number;
  /** Between two attempts of a kubelet that is rejected. */
  readonly retryMs: number;
}

export class Machine {
  readonly instance: InstanceRecord;
  readonly #parts: MachineParts;
  readonly #system: System;
  readonly #imageName: string;
  readonly #timers = new Set<Timer>();
  readonly #bootMs: number;
  #startedMs: number;
  #fault: Fault | undefined;
  #registered = false;
  #ended = false;
  #refusals = 0;

  constructor(parts: MachineParts, instance: InstanceRecord) {
    this.#parts = parts;
    this.instance = instance;
    this.#imageName = parts.server.account.images.get(instance.imageId)?.Name ?? '';
    this.#system = systemOf(this.#imageName);
    this.#bootMs = parts.bootMs();
    this.#startedMs = this.#now();
  }

  /** Whether it has registered its Node. */
  get isNode(): boolean {
    return this.#registered;
  }

  boot(): void {
    const nodepool = this.instance.tags.find(({ Key }) => Key === 'karpenter.sh/nodepool')?.Value;
    this.#fault = this.#parts.server.faults.trigger('machine', {
      name: this.instance.id,
      zone: this.instance.zone,
      size: this.instance.type,
      capacity: this.instance.spot ? 'spot' : 'on-demand',
      ...(nodepool === undefined ? {} : { nodepool }),
    });
    const fault = this.#fault?.name;
    if (fault === 'boot-failure') {
      this.#write(log.NO_BOOT_DEVICE);
      this.#parts.server.instances.impair(this.instance.id, 'instance');
      return;
    }
    this.#write(log.kernelStart(this.#system, this.instance.type));
    this.#after(this.#bootMs * SHARES.up + (fault === 'slow-boot' ? numberOf(this.#fault!) : 0), () => {
      this.#write(log.cloudInit(this.#seconds(), 'init', this.#now()));
      if (fault !== 'boot-hang') this.#configure();
    });
  }

  /** Power is lost at once. */
  end(): void {
    this.#ended = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    if (this.#registered) this.#parts.nodeHost.stopKubelet(this.instance.nodeName);
  }

  /** It boots again from its disk: a node is a node again. */
  reboot(): void {
    if (this.#registered) this.#parts.nodeHost.stopKubelet(this.instance.nodeName);
    this.#startedMs = this.#now();
    this.#fault = undefined;
    this.#write(log.kernelStart(this.#system, this.instance.type));
    this.#after(this.#bootMs * (SHARES.up + SHARES.ready), () => {
      if (this.#registered) this.#run(() => this.#parts.nodeHost.resumeKubelet(this.instance.nodeName));
      else this.#configure();
    });
  }

  #configure(): void {
    const program = this.#system === 'bottlerocket' ? 'early-boot-config' : 'cloud-init';
    const text = this.#userData();
    if (text === undefined) {
      this.#write(log.line(this.#seconds(), program, NO_METADATA[this.#system]));
      return;
    }
    let settings: NodeSettings;
    try {
      settings = readUserData(this.#system, text);
    } catch (error) {
      if (!(error instanceof BootstrapError)) throw error;
      this.#fails(error.message);
      return;
    }
    this.#write(log.cloudInit(this.#seconds(), 'modules:final', this.#now()));
    this.#write(log.login(this.#system, this.instance.nodeName));
    const lateMs = this.#fault?.name === 'register-late' ? numberOf(this.#fault) : 0;
    this.#after(this.#bootMs * SHARES.configure + lateMs, () => this.#register(settings));
  }

  /** As the machine reads it: with a token of the metadata service. Undefined: the service does not answer. */
  #userData(): string | undefined {
    const { metadata } = this.#parts.server;
    const ask = (method: string, path: string, headers: Record<string, string>) =>
      metadata.handle(this.instance, { method, path, headers });
    const token = ask('PUT', '/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' });
    if (token.status !== 200) return undefined;
    const answer = ask('GET', '/latest/user-data', { 'x-aws-ec2-metadata-token': token.body });
    return answer.status === 200 ? answer.body : '';
  }

  #register(settings: NodeSettings): void {
    if (this.#fault?.name === 'never-register') return;
    this.#run(async () => {
      const refusal =
        this.#brokenNetwork(settings) ?? (await refusalOf(this.#parts.join, this.instance, settings));
      if (this.#ended) return;
      if (refusal !== undefined) return this.#refused(settings, refusal);
      try {
        await this.#startKubelet(settings);
      } catch (error) {
        if (error instanceof BootstrapError) return this.#fails(error.message);
        return this.#refused(settings, String(error));
      }
      if (this.#ended) return this.#parts.nodeHost.stopKubelet(this.instance.nodeName);
      await describeNode(this.#parts.client, this.instance);
      this.#after(this.#bootMs * SHARES.initialize, () =>
        this.#run(() => initializeNode(this.#parts.client, this.instance, this.#parts.server.settings)),
      );
      this.#planLater();
    });
  }

  async #startKubelet(settings: NodeSettings): Promise<void> {
    const { server, nodeHost, kubernetesVersion } = this.#parts;
    const fault = this.#fault?.name;
    const node = planNode({
      settings,
      instance: this.instance,
      type: server.context.catalogue.find(this.instance.type)!,
      imageName: this.#imageName,
      diskGiB: this.#system === 'windows' ? 50 : 20,
      kubernetesVersion,
    });
    this.#registered = true;
    await nodeHost.startKubelet({
      ...node,
      ...(fault === 'wrong-labels' ? { labels: {} } : {}),
      readyAfterMs: fault === 'never-ready' ? NEVER_MS : this.#bootMs * SHARES.ready,
    });
  }

  #brokenNetwork({ endpoint }: NodeSettings): string | undefined {
    const host = endpoint.replace(/^https:\/\//, '');
    if (this.#fault?.name === 'no-network') return `Post "${endpoint}/api/v1/nodes": dial tcp: i/o timeout`;
    if (this.#fault?.name === 'no-dns')
      return `Post "${endpoint}/api/v1/nodes": dial tcp: lookup ${host}: Temporary failure in name resolution`;
    return undefined;
  }

  /** It tries again without end; the console shows only the first attempts. */
  #refused(settings: NodeSettings, message: string): void {
    this.#refusals += 1;
    if (this.#refusals <= MAX_LOGGED)
      this.#write(
        log.line(
          this.#seconds(),
          'kubelet',
          `E "Unable to register node with API server" err="${message}" node="${this.instance.nodeName}"`,
        ),
      );
    this.#after(this.#parts.retryMs, () => this.#register(settings));
  }

  /** `program: message`, and the unit ends. */
  #fails(text: string): void {
    const [, program = 'cloud-init', message = text] = /^([\w-]+): (.*)$/s.exec(text) ?? [];
    const unit = UNITS[program] ?? `${program}.service`;
    this.#write(log.line(this.#seconds(), program, message));
    this.#write(
      log.line(this.#seconds(), 'systemd', `${unit}: Main process exited, code=exited, status=1/FAILURE`),
    );
    this.#write(log.line(this.#seconds(), 'systemd', `${unit}: Failed with result 'exit-code'.`));
  }

  #planLater(): void {
    const fault = this.#fault;
    if (fault === undefined || !(fault.name in LATER)) return;
    this.#after(this.#bootMs * SHARES.ready + numberOf(fault), () => {
      LATER[fault.name]!(this.#parts.server, this.instance.id);
      if (fault.name === 'kernel-panic') {
        this.#write('[  812.401123] Kernel panic - not syncing: Fatal exception in interrupt\n');
        this.#parts.nodeHost.stopKubelet(this.instance.nodeName);
      }
    });
  }

  #after(delayMs: number, task: () => void): void {
    const timer = this.#parts.server.context.schedule.after(delayMs, () => {
      this.#timers.delete(timer);
      if (!this.#ended) task();
    });
    this.#timers.add(timer);
  }

  #run(task: () => Promise<void>): void {
    task().catch((error: unknown) =>
      this.#parts.server.context.world.log.warn('a machine failed', {
        instance: this.instance.id,
        error: String(error),
      }),
    );
  }

  #write(text: string): void {
    this.instance.serialLines.push({ atMs: this.#now(), text });
  }

  #seconds(): number {
    return (this.#now() - this.#startedMs) / 1000;
  }

  #now(): number {
    return this.#parts.server.context.world.clock.now();
  }
}

// ---------------------------------------------------------------------------------------------------

/** Of the time from power-on to Ready. */
const SHARES = { up: 0.5, configure: 0.3, initialize: 0.04, ready: 0.1 };
const MAX_LOGGED = 5;
/** Longer than any run, and the maximum of a timer. */
const NEVER_MS = 2 ** 31 - 1;

const UNITS: Readonly<Record<string, string>> = {
  nodeadm: 'nodeadm-config.service',
  'cloud-init': 'cloud-final.service',
};

const NO_METADATA: Readonly<Record<System, string>> = {
  al2023: 'util.py[WARNING]: No instance datasource found! Likely bad things to come!',
  al2: 'util.py[WARNING]: No instance datasource found! Likely bad things to come!',
  bottlerocket: 'Error retrieving user data: IMDS request failed: Received 403 response',
  windows: 'EC2Launch: the instance metadata service is not available',
};

const LATER: Readonly<Record<string, (server: AwsServer, id: string) => void>> = {
  'kernel-panic': ({ instances }, id) => instances.impair(id, 'instance'),
  'system-impaired': ({ instances }, id) => instances.impair(id, 'system'),
  'spot-interrupt': ({ instances }, id) => instances.interruptSpot(id),
  rebalance: ({ instances }, id) => instances.recommendRebalance(id),
  'scheduled-change': ({ instances }, id) => instances.scheduleRetirement(id),
};
