/**
 * The console of a VM, by managed boot diagnostics: Azure hands out a signed address, and behind it is the log.
 * The address is a secret: it is kept here only, and no error or log line holds it. Only the end of a log is kept.
 */
import { type Clock, type Fetch, rethrowProgramError } from '@chandler/kube';
import { type ArmClients, ArmError, isNotFound, toArmError } from '../../../arm/index.ts';

export const SERIAL_TAIL_BYTES = 512 * 1024;
/** The code of an error about the blob; ARM was not asked, or gave its address. */
export const SERIAL_LOG_UNREADABLE = 'SerialLogUnreadable';

/** The permission that the address of a log requires. */
export const READ_CONSOLE = 'Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action';

/** A longer log is not a boot log; what was read so far is enough. */
const MAX_BYTES = 32 * 1024 * 1024;
const ADDRESS_MINUTES = 60;
const READ_TIMEOUT_MS = 30_000;

export interface SerialLogsOptions {
  readonly clock: Clock;
  readonly clients: Pick<ArmClients, 'compute'>;
  readonly fetch: Fetch;
  readonly resourceGroup: string;
}

export interface SerialLog {
  /** Its end. */
  readonly text: string;
  /** Some of its head is missing. */
  readonly cut: boolean;
}

export class SerialLogs {
  readonly #options: SerialLogsOptions;
  /** By VM: where its log is, and until when (monotonic) the address is good. */
  readonly #addresses = new Map<string, { readonly url: string; readonly untilMs: number }>();

  constructor(options: SerialLogsOptions) {
    this.#options = options;
  }

  /** Whether reading costs a call to ARM: its address is not known. */
  isNew(vmName: string): boolean {
    return (this.#addresses.get(vmName)?.untilMs ?? 0) <= this.#options.clock.monotonic();
  }

  forget(vmName: string): void {
    this.#addresses.delete(vmName);
  }

  /** Undefined while there is none. @throws {ArmError} without any address in it. */
  async read(vmName: string, signal = new AbortController().signal): Promise<SerialLog | undefined> {
    const url = await this.#addressOf(vmName, signal);
    if (url === undefined) return undefined;
    const answer = await this.#fetchTail(vmName, url, signal);
    if (answer.status === 200) return answer;
    this.forget(vmName);
    // Nothing was printed yet.
    if (answer.status === 404) return undefined;
    throw unreadable(vmName, `HTTP ${answer.status}`, answer.status);
  }

  async #addressOf(vmName: string, signal: AbortSignal): Promise<string | undefined> {
    if (!this.isNew(vmName)) return this.#addresses.get(vmName)!.url;
    const { clients, resourceGroup, clock } = this.#options;
    try {
      const { virtualMachines } = await clients.compute();
      const answer = await virtualMachines.retrieveBootDiagnosticsData(resourceGroup, vmName, {
        sasUriExpirationTimeInMinutes: ADDRESS_MINUTES,
        abortSignal: signal,
      });
      const url = answer.serialConsoleLogBlobUri;
      if (url === undefined || url === '') return undefined;
      // Given up early: clocks differ.
      this.#addresses.set(vmName, { url, untilMs: clock.monotonic() + (ADDRESS_MINUTES - 5) * 60_000 });
      return url;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw toArmError(error);
    }
  }

  async #fetchTail(
    vmName: string,
    url: string,
    signal: AbortSignal,
  ): Promise<SerialLog & { readonly status: number }> {
    const { clock } = this.#options;
    const stop = new AbortController();
    const timer = clock.after(READ_TIMEOUT_MS, () => stop.abort(new Error('the download timed out')));
    try {
      const response = await this.#options.fetch(url, {
        redirect: 'error',
        signal: AbortSignal.any([stop.signal, signal]),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { status: response.status, text: '', cut: false };
      }
      return { status: 200, ...(await tailOf(response)) };
    } catch (error) {
      rethrowProgramError(error);
      // Only its kind: what a fetch says about an address may hold the address.
      throw unreadable(vmName, stop.signal.aborted ? 'the request timed out' : kindOf(error));
    } finally {
      timer.cancel();
    }
  }
}

/** The end of what was printed, in bounded memory, however long it is. */
export async function tailOf(response: Response): Promise<SerialLog> {
  if (response.body === null) return { text: '', cut: false };
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let allBytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    kept.push(chunk);
    keptBytes += chunk.byteLength;
    allBytes += chunk.byteLength;
    while (kept.length > 1 && keptBytes - kept[0]!.byteLength >= SERIAL_TAIL_BYTES)
      keptBytes -= kept.shift()!.byteLength;
    if (allBytes > MAX_BYTES) break;
  }
  const bytes = Buffer.concat(kept);
  kept = [];
  const from = Math.max(0, bytes.byteLength - SERIAL_TAIL_BYTES);
  return { text: bytes.subarray(from).toString('utf8'), cut: allBytes > SERIAL_TAIL_BYTES };
}

// ---------------------------------------------------------------------------------------------------

function unreadable(vmName: string, why: string, status?: number): ArmError {
  const message = `the serial log of ${vmName} could not be read: ${why}`;
  return new ArmError({ code: SERIAL_LOG_UNREADABLE, message, ...(status === undefined ? {} : { status }) });
}

function kindOf(error: unknown): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: unknown } };
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : '';
  return `${name ?? 'Error'}${code}`;
}
