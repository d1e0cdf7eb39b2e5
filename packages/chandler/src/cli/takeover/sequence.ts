/**
 * The guarded sequence between Karpenter and Chandler, in both directions. Each step makes something so and does nothing where it
 * already is; so a run that was killed at any point is continued by the next one, or undone by the opposite one. The side that
 * leads is stopped, its pods are gone and the lease is free before the other side is started: at no moment may both lead.
 */
import { type Deployment, isApiError, type Stored } from '@chandler/kube';
import { observes, withObserve } from '../../settings/index.ts';
import { Failure } from '../verb.ts';
import {
  changeDeployment,
  livePods,
  nameOf,
  podText,
  readDeployment,
  replicasOf,
  tryChange,
} from './deployments.ts';
import { driftedSince, driftText } from './drift-watch.ts';
import { firstRecord, recordForBack, recordForStart } from './first-record.ts';
import { LeaseWatch } from './lease-watch.ts';
import { RECORD_ANNOTATION, recordOf, type TakeoverRecord } from './record.ts';
import { type Progress, Replaced, type SequenceOptions, type SequenceResult } from './sequence-options.ts';
import { until } from './waiting.ts';

export function takeOver(options: SequenceOptions): Promise<SequenceResult> {
  return new Sequence(options).start();
}

export function handBack(options: SequenceOptions): Promise<SequenceResult> {
  return new Sequence(options).back();
}

// ---------------------------------------------------------------------------------------------------

class Sequence {
  readonly #options: SequenceOptions;
  readonly #run: string;
  readonly #lease: LeaseWatch;
  readonly #steps: Progress[] = [];
  /** The record, once this run has written it: from then on a failure leaves no half-done takeover behind. */
  #begun: TakeoverRecord | undefined;

  constructor(options: SequenceOptions) {
    this.#options = options;
    this.#run = options.world.random.uuid();
    this.#lease = new LeaseWatch(options.client, options.world.clock, options.lease);
  }

  async start(): Promise<SequenceResult> {
    const { heldBy } = await this.#lease.look(this.#options.signal);
    try {
      await this.#toChandler({ verifies: true });
    } catch (error) {
      const begun = this.#begun;
      if (begun === undefined || !this.#mayUndo(error)) throw error;
      // Chandler led for long: what fails now is no reason to start Karpenter.
      if (begun.phase === 'takenOver') throw error;
      const wasStopped = begun.karpenterReplicas === 0;
      if (wasStopped && heldBy === 'chandler')
        throw new Failure(`${textOf(error)}; Chandler led before, and was not stopped`);
      this.#options.report(`failed: ${textOf(error)}`);
      this.#options.report(wasStopped ? 'stopping Chandler' : 'putting Karpenter back');
      await this.#undo(error, 'back', () => this.#toKarpenter({ mayStayStopped: true }));
      const leads = this.#begun?.karpenterReplicas === 0 ? NOBODY_LEADS : 'Karpenter was put back, and leads';
      throw new Failure(`${textOf(error)}; ${leads}`);
    }
    return { outcome: 'takenOver', steps: this.#steps };
  }

  async back(): Promise<SequenceResult> {
    const { signal } = this.#options;
    const { heldBy } = await this.#lease.look(signal);
    const karpenter = await this.#karpenter();
    if (heldBy !== 'chandler' && recordOf(karpenter) === undefined && replicasOf(karpenter) > 0)
      return { outcome: 'unchanged', steps: this.#steps };
    try {
      await this.#toKarpenter({ mayStayStopped: false });
    } catch (error) {
      if (!this.#mayUndo(error) || heldBy !== 'chandler') throw error;
      this.#options.report(`failed: ${textOf(error)}`);
      this.#options.report('putting Chandler back');
      await this.#undo(error, 'start', () => this.#toChandler({ verifies: false }));
      throw new Failure(`${textOf(error)}; Chandler was put back, and leads`);
    }
    return { outcome: 'handedBack', steps: this.#steps };
  }

  /** A program that is interrupted leaves everything as it is; one that another run has replaced must not interfere. */
  #mayUndo(error: unknown): boolean {
    if (this.#options.signal.aborted || error instanceof Replaced) return false;
    return this.#begun !== undefined && (error instanceof Failure || isApiError(error));
  }

  async #undo(cause: unknown, verb: string, steps: () => Promise<void>): Promise<void> {
    try {
      await steps();
    } catch (error) {
      if (error instanceof Replaced || !(error instanceof Failure || isApiError(error))) throw error;
      this.#options.signal.throwIfAborted();
      throw new Failure(
        `${textOf(cause)}; going back failed, too: ${textOf(error)}. Run "chandler takeover ${verb}" when this is fixed`,
      );
    }
  }

  async #toChandler({ verifies }: { readonly verifies: boolean }): Promise<void> {
    const { karpenter, chandler, lease, verifyMs } = this.#options;
    const record = await this.#step(`scaling Karpenter, Deployment ${nameOf(karpenter)}, to 0`, () =>
      this.#stopKarpenter(),
    );
    await this.#step("waiting until Karpenter's pods are gone", () => this.#karpenterGone());
    await this.#step(`waiting until Lease ${nameOf(lease)} is free`, () => this.#leaseFreeFor('chandler'));
    await this.#step(`starting Chandler, Deployment ${nameOf(chandler)}`, () => this.#startChandler(record));
    await this.#step('waiting until Chandler leads', () => this.#leads('chandler'));
    if (verifies && record.phase !== 'takenOver')
      await this.#step(`checking for ${Math.round(verifyMs / 1000)} s that no node drifts`, () =>
        this.#verify(record),
      );
    await this.#write((deployment) => {
      const now = recordOf(deployment);
      return now === undefined || now.phase === 'takenOver'
        ? undefined
        : recordPatch({ ...now, phase: 'takenOver' });
    });
  }

  /** Of a takeover that fails, Karpenter stays stopped if it was stopped before. */
  async #toKarpenter({ mayStayStopped }: { readonly mayStayStopped: boolean }): Promise<void> {
    const { karpenter, chandler, lease } = this.#options;
    const record = await this.#beginBack(mayStayStopped);
    await this.#step(`scaling Chandler, Deployment ${nameOf(chandler)}, to 0`, () => this.#stopChandler());
    await this.#step("waiting until Chandler's pods are gone", () => this.#chandlerGone());
    await this.#step(`waiting until Lease ${nameOf(lease)} is free`, () => this.#leaseFreeFor('another'));
    const replicas = record.karpenterReplicas;
    if (replicas > 0) {
      await this.#step(`scaling Karpenter, Deployment ${nameOf(karpenter)}, to ${replicas}`, () =>
        this.#write((deployment) => (replicasOf(deployment) > 0 ? undefined : { spec: { replicas } })),
      );
      await this.#step('waiting until Karpenter leads', () => this.#leads('another'));
    }
    if (record.observed && record.chandlerReplicas > 0)
      await this.#step('starting Chandler with --observe, as before', () => this.#observeAgain(record));
    await this.#write((deployment) =>
      recordOf(deployment) === undefined ? undefined : recordPatch(undefined),
    );
  }

  async #step<T>(text: string, work: () => Promise<T>): Promise<T> {
    const { world, report } = this.#options;
    report(text);
    const startMs = world.clock.monotonic();
    const result = await work();
    this.#steps.push({ step: text, seconds: Math.round((world.clock.monotonic() - startMs) / 1000) });
    return result;
  }

  #karpenter(): Promise<Stored<Deployment>> {
    const { client, karpenter, signal } = this.#options;
    return readDeployment(client, karpenter, signal);
  }

  #chandler(): Promise<Stored<Deployment>> {
    const { client, chandler, signal } = this.#options;
    return readDeployment(client, chandler, signal);
  }

  /** Writes to Karpenter's Deployment, as long as its record is that of this run. */
  #write(change: (deployment: Stored<Deployment>) => object | undefined): Promise<Stored<Deployment>> {
    const { client, karpenter, signal } = this.#options;
    const own = (deployment: Stored<Deployment>) => {
      this.#refuseReplaced(deployment);
      return change(deployment);
    };
    return changeDeployment(client, karpenter, own, signal);
  }

  /** Chandler's Deployment carries no record: that of Karpenter's is checked first. */
  async #changeChandler(change: (deployment: Stored<Deployment>) => object | undefined): Promise<void> {
    const { client, chandler, signal } = this.#options;
    if (recordOf(await this.#karpenter())?.run !== this.#run) throw new Replaced();
    await changeDeployment(client, chandler, change, signal);
  }

  async #stopKarpenter(): Promise<TakeoverRecord> {
    const { client, karpenter, signal } = this.#options;
    const ours = await this.#chandler();
    // Refused now, not when Karpenter is gone.
    await tryChange(client, ours, signal);
    const fresh = await firstRecord(this.#options, this.#run, ours);
    const { heldBy } = await this.#lease.look(signal);
    const after = await changeDeployment(
      client,
      karpenter,
      (deployment) => {
        this.#refuseReplaced(deployment);
        const record = recordForStart(deployment, fresh, heldBy === 'chandler');
        return { ...recordPatch(record), spec: { replicas: 0 } };
      },
      signal,
    );
    this.#begun = recordOf(after)!;
    return this.#begun;
  }

  async #beginBack(mayStayStopped: boolean): Promise<TakeoverRecord> {
    const { client, karpenter, signal } = this.#options;
    // What this run wrote counts, should the annotation be lost.
    const fresh = this.#begun ?? (await firstRecord(this.#options, this.#run, await this.#chandler()));
    const after = await changeDeployment(
      client,
      karpenter,
      (deployment) => {
        this.#refuseReplaced(deployment);
        return recordPatch(recordForBack(this.#options, deployment, { fresh, mayStayStopped }));
      },
      signal,
    );
    this.#begun = recordOf(after)!;
    return this.#begun;
  }

  async #startChandler(record: TakeoverRecord): Promise<void> {
    const before = record.chandlerReplicas > 0 ? record.chandlerReplicas : record.karpenterReplicas;
    const wanted = this.#options.chandlerReplicas ?? Math.max(before, 1);
    await this.#changeChandler((deployment) => {
      const { containers } = deployment.spec.template.spec;
      const replicas = this.#options.chandlerReplicas ?? (replicasOf(deployment) || wanted);
      const isSo = !observes(containers) && replicasOf(deployment) === replicas;
      return isSo ? undefined : chandlerPatch(replicas, withObserve(containers, false));
    });
  }

  /** One that observes holds no lease, and may go on. */
  async #stopChandler(): Promise<void> {
    await this.#changeChandler((deployment) => {
      const isStopped = replicasOf(deployment) === 0 || observes(deployment.spec.template.spec.containers);
      return isStopped ? undefined : { spec: { replicas: 0 } };
    });
  }

  async #observeAgain({ chandlerReplicas }: TakeoverRecord): Promise<void> {
    await this.#changeChandler((deployment) => {
      const { containers } = deployment.spec.template.spec;
      if (observes(containers)) return undefined;
      return chandlerPatch(chandlerReplicas, withObserve(containers, true));
    });
  }

  #until(what: string, look: () => Promise<string | undefined>): Promise<void> {
    const { world, signal, timeoutMs } = this.#options;
    return until(what, { clock: world.clock, signal, timeoutMs }, look);
  }

  #karpenterGone(): Promise<void> {
    const { client, signal } = this.#options;
    return this.#until("Karpenter's pods are not gone", async () => {
      const deployment = await this.#karpenter();
      this.#refuseScaledUp(deployment);
      return (await livePods(client, deployment, signal)).map(podText)[0];
    });
  }

  #chandlerGone(): Promise<void> {
    const { client, signal } = this.#options;
    return this.#until("Chandler's pods are not gone", async () => {
      const deployment = await this.#chandler();
      if (observes(deployment.spec.template.spec.containers)) return undefined;
      return (await livePods(client, deployment, signal)).map(podText)[0];
    });
  }

  /** Also where the side that is to lead holds it already. */
  #leaseFreeFor(side: 'chandler' | 'another'): Promise<void> {
    const { signal, lease } = this.#options;
    return this.#until(`Lease ${nameOf(lease)} is not free`, async () => {
      const { heldBy, holder, expired } = await this.#lease.look(signal);
      return heldBy === 'nobody' || heldBy === side || expired ? undefined : `${holder} holds it`;
    });
  }

  #leads(side: 'chandler' | 'another'): Promise<void> {
    const { client, signal, lease } = this.#options;
    const title = side === 'chandler' ? 'Chandler' : 'Karpenter';
    return this.#until(`${title} does not lead`, async () => {
      const { heldBy, holder, renewed } = await this.#lease.look(signal);
      if (heldBy === side && renewed) return undefined;
      const deployment = await (side === 'chandler' ? this.#chandler() : this.#karpenter());
      const pods = (await livePods(client, deployment, signal)).map(podText);
      const whose = holder === '' ? 'nobody holds' : `${holder} holds`;
      return `${whose} Lease ${nameOf(lease)}; ${pods.join(', ') || `${title} has no pods`}`;
    });
  }

  async #verify({ since }: TakeoverRecord): Promise<void> {
    const { client, world, signal, verifyMs } = this.#options;
    const endMs = world.clock.monotonic() + verifyMs;
    for (;;) {
      await this.#until('it is not known whether nodes drift', async () => {
        this.#refuseScaledUp(await this.#karpenter());
        const { heldBy, holder } = await this.#lease.look(signal);
        if (heldBy !== 'chandler')
          throw new Failure(`Chandler lost the lease; ${holder || 'nobody'} holds it`);
        const drifted = await driftedSince(client, since, signal);
        if (drifted.size > 0)
          throw new Failure(`NodeClaims drifted after the takeover: ${driftText(drifted)}`);
        return undefined;
      });
      const leftMs = endMs - world.clock.monotonic();
      if (leftMs <= 0) return;
      await world.clock.sleep(Math.min(leftMs, VERIFY_INTERVAL_MS), signal);
    }
  }

  /** Once this run has written the record, only as long as it is its own: also before it undoes something. */
  #refuseReplaced(deployment: Stored<Deployment>): void {
    const record = recordOf(deployment);
    if (this.#begun !== undefined && record !== undefined && record.run !== this.#run) throw new Replaced();
  }

  #refuseScaledUp(deployment: Stored<Deployment>): void {
    if (replicasOf(deployment) > 0)
      throw new Failure(
        `Deployment ${nameOf(this.#options.karpenter)} was scaled up by something else; if it is managed by GitOps or an autoscaler, set 0 replicas there first`,
      );
  }
}

const NOBODY_LEADS =
  'nobody leads, as before: Karpenter had 0 replicas. To start it: chandler takeover back --karpenter-replicas 2';
const VERIFY_INTERVAL_MS = 2_000;

function recordPatch(record: TakeoverRecord | undefined): { readonly metadata: object } {
  const text = record === undefined ? null : JSON.stringify(record);
  return { metadata: { annotations: { [RECORD_ANNOTATION]: text } } };
}

function chandlerPatch(replicas: number, containers: readonly object[]): object {
  return { spec: { replicas, template: { spec: { containers } } } };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
