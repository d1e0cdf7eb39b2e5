/**
 * Reads the bootstrap results of VMs from Azure. Where a custom script extension runs the script, its
 * instance view is read; where cloud-init runs it, Azure knows nothing, and the console is read once a node is late. All
 * claims share one allowance of calls, so that a thousand launches do not starve the launches themselves.
 */
import type { Clock, Fetch, Log, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import { type ArmClients, ArmError, BAD_ANSWER, HELD_BACK, toArmError } from '../../../arm/index.ts';
import { type BootstrapMode, type DecisiveBootLine, decisiveBootLine } from '../../../bootstrap/index.ts';
import type { Aftermath, BootstrapFailure, BootstrapReader, CloudError } from '../../index.ts';

import { CUSTOM_SCRIPT_EXTENSION } from '../vm/extension-object.ts';
import { vmNameOf, vmOfProviderId } from '../vm/names.ts';
import { Allowance } from './allowance.ts';
import { type ExtensionState, readExtension } from './extension.ts';
import { vmsWithFailedExtension } from './failed-extensions.ts';
import { type BootstrapReport, failureOf } from './failure.ts';
import { READ_CONSOLE, SERIAL_LOG_UNREADABLE, SerialLogs } from './serial-log.ts';
import { type Watched, WatchList } from './watch-list.ts';

export interface BootstrapReaderOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly clients: Pick<ArmClients, 'compute' | 'resourceGraph' | 'subscriptionId' | 'rates'>;
  /** To signed addresses. */
  readonly fetch: Fetch;
  readonly resourceGroup: string;
  readonly mode: BootstrapMode;
  readonly aftermath: () => Aftermath;
  /** How many VMs are being launched: then most writes are theirs. Default: few. */
  readonly launches?: () => number;
}

/** What was read after a failure. */
export interface FailureEvidence {
  /** The bootstrap failed. */
  readonly failure?: BootstrapFailure;
  /** Else, why the operating system did not start. */
  readonly bootLine?: DecisiveBootLine;
}

export interface AzureBootstrapReader extends BootstrapReader {
  /** As `afterFailure`. What it found is kept: the VM may be gone when somebody asks again. */
  evidenceOf(claim: Stored<NodeClaim>, error: CloudError, signal: AbortSignal): Promise<FailureEvidence>;
}

/** The launcher takes half of the reads; with these it is eight tenths: 20 of 25 in a second. */
const SHARE_OF_READS = 0.3;
/** Addresses of serial logs are given out by a POST, and launches need those more; when none is on, they may have them. */
const SHARE_OF_WRITES = { manyLaunches: 0.05, fewLaunches: 0.2, noLaunch: 0.8 };
/** So many launches at once wait for each other's writes. */
const MANY_LAUNCHES = 40;
const LOGS_PER_SECOND = 10;
/** Above this number, one query for all VMs comes before the reads of single VMs. */
const MANY = 100;
const QUERY_EVERY_MS = 10_000;
/** The time from the launch to the first read. A node that registers sooner is never read. */
const FIRST_READ_MS: Readonly<Record<BootstrapMode, number>> = {
  bootstrappingclient: 10_000,
  aksscriptless: 25_000,
};
/** How long a missing permission or disabled boot diagnostics of a VM is remembered. */
const FORBIDDEN_PAUSE_MS = 2 * 60_000;
const MAX_FAILURES = 1_000;
const OS_FAILED = 'OSProvisioningFailed';
/** Reasons of errors after which the VM exists and may hold evidence. */
const AFTER_BOOT: ReadonlySet<string> = new Set(['ExtensionFailed', OS_FAILED]);
const AGENT_SILENT = 'VMAgentStatusCommunicationError';
const TELL_AGAIN_MS = 10 * 60_000;
/** What proxies and storage say; a permission in ARM does not change it. */
const NOT_OF_ARM: ReadonlySet<string> = new Set([BAD_ANSWER, SERIAL_LOG_UNREADABLE]);
/** The permission that each call requires. */
const READ_EXTENSION = 'Microsoft.Compute/virtualMachines/extensions/read';
const QUERY = 'Microsoft.ResourceGraph/resources/read';

export function bootstrapReader(options: BootstrapReaderOptions): AzureBootstrapReader {
  return new VmReader(options);
}

// ---------------------------------------------------------------------------------------------------

class VmReader implements AzureBootstrapReader {
  readonly #options: BootstrapReaderOptions;
  readonly #watch: WatchList;
  readonly #logs: SerialLogs;
  readonly #reads: Allowance;
  readonly #addresses: Allowance;
  readonly #downloads: Allowance;
  /** By claim: asked about twice, and the VM may be gone by then. */
  readonly #failed = new Map<string, FailureEvidence>();
  #queriedMs = Number.NEGATIVE_INFINITY;
  /** By code and permission: when (monotonic) it was last said that something cannot be read. */
  readonly #reports = new Map<string, number>();

  constructor(options: BootstrapReaderOptions) {
    const { clock, clients, mode } = options;
    this.#options = options;
    this.#watch = new WatchList(clock, FIRST_READ_MS[mode]);
    this.#logs = new SerialLogs(options);
    const reads = clients.rates.read.perSecond * SHARE_OF_READS;
    const writes = () => clients.rates.write.perSecond * shareOfWrites(options.launches?.() ?? 1);
    this.#reads = new Allowance(clock, () => reads, reads);
    this.#addresses = new Allowance(clock, writes, clients.rates.write.perSecond * SHARE_OF_WRITES.noLaunch);
    this.#downloads = new Allowance(clock, () => LOGS_PER_SECOND, LOGS_PER_SECOND);
  }

  aftermath(): Aftermath {
    return this.#options.aftermath();
  }

  async look(claims: readonly Stored<NodeClaim>[], signal: AbortSignal) {
    for (const { vmName } of this.#watch.follow(claims)) this.#logs.forget(vmName);
    await this.#readAllFailed(signal);
    signal.throwIfAborted();
    const now = this.#watch.due().filter((watched) => this.#mayAsk(watched));
    await Promise.all(now.map((watched) => this.#readOne(watched, signal)));
    signal.throwIfAborted();
    return this.#watch.outcomes();
  }

  async afterFailure(
    claim: Stored<NodeClaim>,
    error: CloudError,
    signal: AbortSignal,
  ): Promise<BootstrapFailure | undefined> {
    return (await this.evidenceOf(claim, error, signal)).failure;
  }

  async evidenceOf(
    claim: Stored<NodeClaim>,
    error: CloudError,
    signal: AbortSignal,
  ): Promise<FailureEvidence> {
    if (!AFTER_BOOT.has(error.reason)) return {};
    const uid = claim.metadata.uid;
    const known = this.#failed.get(uid) ?? (await this.#evidence(claim, error, signal));
    if (known.failure !== undefined || known.bootLine !== undefined) this.#failed.set(uid, known);
    const oldest = this.#failed.size > MAX_FAILURES ? this.#failed.keys().next().value : undefined;
    if (oldest !== undefined) this.#failed.delete(oldest);
    return known;
  }

  async #evidence(
    claim: Stored<NodeClaim>,
    error: CloudError,
    signal: AbortSignal,
  ): Promise<FailureEvidence> {
    const vmName = vmOfProviderId(claim.status?.providerID ?? '')?.name ?? vmNameOf(claim.metadata.name);
    const image = claim.status?.imageID;
    const extension = await this.#tried(READ_EXTENSION, () => this.#extensionOf(vmName, signal));
    // Another part of the VM failed, not what makes a node of it.
    if (extension?.state === 'succeeded') return {};
    const said: BootstrapReport[] =
      extension?.state === 'failed' ? [{ readFrom: 'extension', text: extension.text }] : [];
    const refused: BootstrapReport[] = this.#extensionFailed(error)
      ? [{ readFrom: 'operation', text: textOf(error) }]
      : [];
    // An extension that failed without a word of its own knows less than the operation.
    const isSilent = extension?.state === 'failed' && extension.isSilent;
    const reports = isSilent ? [...refused, ...said] : [...said, ...refused];
    const known = failureOf(reports, image);
    if (known?.code !== undefined) return { failure: known };
    const log = await this.#tried(READ_CONSOLE, () => this.#logs.read(vmName, signal));
    this.#logs.forget(vmName);
    const text = log?.text ?? '';
    const failure = failureOf([...reports, { readFrom: 'serialLog', text }], image);
    if (failure !== undefined) return { failure };
    const bootLine = error.reason === OS_FAILED ? decisiveBootLine(text) : undefined;
    return bootLine === undefined ? {} : { bootLine };
  }

  get #hasExtension(): boolean {
    return this.#options.mode === 'bootstrappingclient';
  }

  async #extensionOf(vmName: string, signal: AbortSignal): Promise<ExtensionState | undefined> {
    const { clients, resourceGroup } = this.#options;
    return this.#hasExtension ? readExtension(clients, resourceGroup, vmName, signal) : undefined;
  }

  /** The error is about the extension that makes nodes: the text of an operation names it, or no extension can report. */
  #extensionFailed(error: CloudError): boolean {
    const { cause } = error;
    const isSilent = cause instanceof ArmError && cause.codes.includes(AGENT_SILENT);
    return this.#hasExtension && (isSilent || textOf(error).includes(CUSTOM_SCRIPT_EXTENSION));
  }

  /** Reads failed VMs immediately, independent of their interval. */
  async #readAllFailed(signal: AbortSignal): Promise<void> {
    const { clients, resourceGroup, clock } = this.#options;
    const nowMs = clock.monotonic();
    if (!this.#hasExtension || this.#watch.size <= MANY || nowMs - this.#queriedMs < QUERY_EVERY_MS) return;
    this.#queriedMs = nowMs;
    const failed = await this.#tried(QUERY, () => vmsWithFailedExtension(clients, resourceGroup, signal));
    for (const watched of this.#watch.values())
      if (failed?.has(watched.vmName.toLowerCase())) watched.nextMs = Number.NEGATIVE_INFINITY;
  }

  #mayAsk({ vmName }: Watched): boolean {
    if (this.#hasExtension) return this.#reads.take();
    return this.#downloads.take() && (!this.#logs.isNew(vmName) || this.#addresses.take());
  }

  async #readOne(watched: Watched, signal: AbortSignal): Promise<void> {
    const { vmName, claim } = watched;
    this.#watch.markRead(watched);
    const image = claim.status?.imageID;
    try {
      const reports = this.#hasExtension
        ? await this.#askExtension(watched, signal)
        : await this.#askConsole(vmName, signal);
      const failure = reports === undefined ? undefined : failureOf(reports, image);
      if (failure !== undefined) watched.outcome = { state: 'failed', failure };
    } catch (error) {
      this.#unreadable(toArmError(error), this.#hasExtension ? READ_EXTENSION : READ_CONSOLE, watched);
    }
    if (watched.outcome !== undefined) this.#logs.forget(vmName);
  }

  async #askExtension(
    watched: Watched,
    signal: AbortSignal,
  ): Promise<readonly BootstrapReport[] | undefined> {
    const said = await this.#extensionOf(watched.vmName, signal);
    if (said?.state === 'succeeded') watched.outcome = { state: 'succeeded' };
    // The launch puts a silent one again, or reports its failure.
    if (said?.state !== 'failed' || said.isSilent) return undefined;
    const reports: BootstrapReport[] = [{ readFrom: 'extension', text: said.text }];
    if (failureOf(reports, undefined)?.code !== undefined) return reports;
    // It failed and says nothing of use; the console may.
    const printed = await this.#tried(READ_CONSOLE, () => this.#askConsole(watched.vmName, signal));
    return [...reports, ...(printed ?? [])];
  }

  async #askConsole(vmName: string, signal: AbortSignal): Promise<readonly BootstrapReport[]> {
    const log = await this.#logs.read(vmName, signal);
    return log === undefined ? [] : [{ readFrom: 'serialLog', text: log.text }];
  }

  async #tried<T>(permission: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      this.#unreadable(toArmError(error), permission);
      return undefined;
    }
  }

  /** Logged at intervals for each kind of error and call, not for each VM. */
  #unreadable(error: ArmError, permission: string, watched?: Watched): void {
    const { clock, log } = this.#options;
    const nowMs = clock.monotonic();
    const forbidden = error.status === 403 && !NOT_OF_ARM.has(error.code);
    const paused = forbidden || error.status === 409;
    const waitMs = error.retryAfterMs ?? (paused ? FORBIDDEN_PAUSE_MS : 0);
    if (watched !== undefined) watched.nextMs = Math.max(watched.nextMs, nowMs + waitMs);
    const report = `${error.code} ${permission}`;
    if (error.code === HELD_BACK || nowMs < (this.#reports.get(report) ?? 0)) return;
    this.#reports.set(report, nowMs + TELL_AGAIN_MS);
    log.warn('bootstrap status of a VM could not be read', {
      vm: watched?.vmName,
      code: error.code,
      error: error.message.slice(0, 300),
      ...(forbidden ? { permission } : {}),
    });
  }
}

function shareOfWrites(launches: number): number {
  if (launches === 0) return SHARE_OF_WRITES.noLaunch;
  return launches < MANY_LAUNCHES ? SHARE_OF_WRITES.fewLaunches : SHARE_OF_WRITES.manyLaunches;
}

/** Whole: the message of the error itself was cut. */
function textOf(error: CloudError): string {
  return error.cause instanceof ArmError ? error.cause.text : error.message;
}
