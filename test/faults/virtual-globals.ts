/**
 * The globals of a thread during one run in virtual time: `Date`, `Math.random` and the timers that the SDKs
 * use are answered by the run, and code that opens a real timer or socket is reported. Import this before any
 * SDK.
 */
import { Socket } from 'node:net';

export interface GlobalsOwner {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
  readonly after: (delayMs: number, task: () => void) => { cancel(): void };
}

/** Forbidden uses in a run: real timers, sockets. */
export interface Lease {
  readonly offences: readonly string[];
  release(): void;
}

export function installGlobals(to: GlobalsOwner): Lease {
  if (owner !== undefined) throw new Error('the globals belong to another run');
  const offences: string[] = [];
  owner = { ...to, offend: (what) => offences.push(`${what}${caller()}`) };
  return {
    offences,
    release() {
      owner = undefined;
    },
  };
}

/** The real globals, for code that drives and measures the run. */
export const real = {
  setImmediate: globalThis.setImmediate,
  now: Date.now.bind(Date),
  hrtime: () => process.hrtime.bigint(),
};

// ---------------------------------------------------------------------------------------------------

let owner: (GlobalsOwner & { readonly offend: (what: string) => void }) | undefined;

const RealDate = Date;
const realRandom = Math.random;
const realSetTimeout = globalThis.setTimeout;
const realSetInterval = globalThis.setInterval;
const realClearTimeout = globalThis.clearTimeout;
const realFetch = globalThis.fetch;
const realConnect = Socket.prototype.connect;

globalThis.Date = new Proxy(RealDate, {
  construct(target, args, newTarget) {
    const given = args.length === 0 && owner !== undefined ? [owner.now()] : args;
    return Reflect.construct(target, given, newTarget === globalThis.Date ? target : newTarget) as Date;
  },
  apply: (target) => (owner === undefined ? target() : new target(owner.now()).toString()),
  get: (target, name) =>
    name === 'now' && owner !== undefined ? owner.now : (Reflect.get(target, name) as unknown),
});
Math.random = () => (owner === undefined ? realRandom() : owner.random());
globalThis.setTimeout = ((task: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
  if (owner === undefined) return realSetTimeout(task, delayMs, ...args);
  owner.offend(`a timer of ${delayMs} ms`);
  return owner.after(delayMs, () => task(...args));
}) as typeof setTimeout;
globalThis.setInterval = ((task: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) => {
  if (owner === undefined) return realSetInterval(task, delayMs, ...args);
  owner.offend(`a timer every ${delayMs} ms`);
  return owner.after(delayMs, () => task(...args));
}) as typeof setInterval;
globalThis.setImmediate = ((task: (...args: unknown[]) => void, ...args: unknown[]) =>
  owner === undefined
    ? real.setImmediate(task, ...args)
    : owner.after(0, () => task(...args))) as typeof setImmediate;
globalThis.clearTimeout = ((timer: unknown) => {
  if (typeof timer === 'object' && timer !== null && 'cancel' in timer)
    (timer as { cancel(): void }).cancel();
  else realClearTimeout(timer as NodeJS.Timeout);
}) as typeof clearTimeout;
globalThis.clearInterval = globalThis.clearTimeout as typeof clearInterval;
globalThis.fetch = (async (...args: Parameters<typeof fetch>) => {
  if (owner === undefined) return realFetch(...args);
  owner.offend(`a fetch of ${String(args[0])}`);
  throw new TypeError('fetch failed', { cause: new Error('a run in virtual time has no network') });
}) as typeof fetch;
Socket.prototype.connect = function connect(this: Socket, ...args: unknown[]) {
  owner?.offend('a socket');
  return Reflect.apply(realConnect, this, args) as Socket;
} as typeof realConnect;

/** The first frame outside of this file. */
function caller(): string {
  const frames = (new Error().stack ?? '').split('\n').slice(1);
  const frame = frames.find((line) => !/virtual-globals\.ts/.test(line));
  return frame === undefined
    ? ''
    : `, ${frame.trim().replace(/\(?file:\/\/.*\/(?:main|node_modules)\//, '(')}`;
}
