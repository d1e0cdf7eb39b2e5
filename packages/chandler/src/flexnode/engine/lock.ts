/**
 * The lock of a run. It identifies its process by PID and start time, so that a stale lock is detected even if the PID was
 * reused. The lock is a symbolic link; its target contains this information, because a link is created atomically.
 */
import type { World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import type { MachineHost } from '../host/machine-host.ts';
import type { RunVerb } from './events.ts';
import { LOCK_PATH, RUN_FOLDER } from './parts.ts';

export interface LockHolder {
  readonly pid: number;
  /** Clock ticks since boot; absent where there is no /proc. */
  readonly startTime?: string | undefined;
  readonly verb: RunVerb;
  readonly run: string;
  readonly since: string;
}

export interface Lock {
  release(): Promise<void>;
}

type LockParts = { readonly world: World; readonly host: MachineHost; readonly pid: number };

/** Throws if another run holds the lock. Changes nothing. */
export async function refuseIfLocked(parts: LockParts): Promise<void> {
  const holder = await liveHolder(parts.host);
  if (holder !== undefined) throw refusal(holder);
}

export async function takeLock(parts: LockParts, who: { verb: RunVerb; run: string }): Promise<Lock> {
  const { world, host, pid } = parts;
  const startTime = await startTimeOf(host, pid);
  const mine: LockHolder = { pid, startTime, ...who, since: new Date(world.clock.now()).toISOString() };
  // Retried once after a stale lock was removed.
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await host.createMarker(LOCK_PATH, JSON.stringify(mine))) {
      return { release: () => release(host, who) };
    }
    const holder = await liveHolder(host);
    if (holder !== undefined) throw refusal(holder);
    await removeStaleLock(host, who.run);
  }
  const holder = await liveHolder(host);
  throw refusal(holder ?? mine);
}

// ---------------------------------------------------------------------------------------------------

async function release(host: MachineHost, { verb, run }: { verb: RunVerb; run: string }): Promise<void> {
  if ((await readHolder(host, LOCK_PATH))?.run !== run) return;
  await host.remove(LOCK_PATH);
  // The directory is kept, because two runs that create and remove it would interfere.
  if (verb === 'unbootstrap') await removeFolder(host);
}

async function removeFolder(host: MachineHost): Promise<void> {
  try {
    for (const name of await host.list(RUN_FOLDER)) {
      const path = `${RUN_FOLDER}/${name}`;
      if (path !== LOCK_PATH) await host.removeTree(path);
    }
    if ((await host.list(RUN_FOLDER)).length === 0) await host.remove(RUN_FOLDER);
  } catch (error) {
    // Another run has just acquired the lock.
    if (!(error instanceof FlexError)) throw error;
  }
}

/** Renamed before it is deleted: only one of two concurrent runs can rename it. */
async function removeStaleLock(host: MachineHost, run: string): Promise<void> {
  const aside = `${LOCK_PATH}.${run}`;
  try {
    await host.rename(LOCK_PATH, aside);
  } catch {
    return;
  }
  const moved = await readHolder(host, aside);
  // Another run may have created a new lock in between: restore it.
  if (moved !== undefined && (await isAlive(host, moved))) await host.rename(aside, LOCK_PATH);
  else await host.remove(aside);
}

async function liveHolder(host: MachineHost): Promise<LockHolder | undefined> {
  const holder = await readHolder(host, LOCK_PATH);
  return holder !== undefined && (await isAlive(host, holder)) ? holder : undefined;
}

async function readHolder(host: MachineHost, path: string): Promise<LockHolder | undefined> {
  const text = (await host.lstat(path))?.target;
  if (text === undefined) return undefined;
  try {
    const holder = JSON.parse(text) as LockHolder;
    return typeof holder.pid === 'number' ? holder : undefined;
  } catch {
    return undefined;
  }
}

async function isAlive(host: MachineHost, holder: LockHolder): Promise<boolean> {
  const startTime = await startTimeOf(host, holder.pid);
  return startTime !== undefined && (holder.startTime === undefined || startTime === holder.startTime);
}

/** Field 22 of /proc/<pid>/stat; the name in field 2 may hold blanks and brackets. */
async function startTimeOf(host: MachineHost, pid: number): Promise<string | undefined> {
  const content = await host.readFile(`/proc/${pid}/stat`);
  if (content === undefined) return undefined;
  const text = Buffer.from(content).toString('utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

function refusal(holder: LockHolder): FlexError {
  return new FlexError({
    class: 'step',
    code: 'run.locked',
    message: `Another run is in progress on this machine: \`${holder.verb}\`, process ${holder.pid}, started at ${holder.since}.`,
    where: LOCK_PATH,
    remedy: `Wait until it completes (\`ps -p ${holder.pid}\`), then run the same command again.`,
  });
}
