/**
 * One run at a time. The lock names its process by number and start time, so one that died is told from one that lives
 * even when the number was given to another program since; what a dead one left is taken over. The lock is a link whose
 * target says all this (`ls -l` shows it), because a link is made whole or not at all.
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

/** Refuses with the other run's name, or resolves when nobody holds it. Changes nothing. */
export async function refuseIfLocked(parts: LockParts): Promise<void> {
  const holder = await livingHolder(parts.host);
  if (holder !== undefined) throw refusal(holder);
}

export async function takeLock(parts: LockParts, who: { verb: RunVerb; run: string }): Promise<Lock> {
  const { world, host, pid } = parts;
  const startTime = await startTimeOf(host, pid);
  const mine: LockHolder = { pid, startTime, ...who, since: new Date(world.clock.now()).toISOString() };
  // Twice: once more after what a dead run left was put away.
  for (let attempt = 0; attempt < 2; attempt++) {
    if (await host.createMarker(LOCK_PATH, JSON.stringify(mine))) {
      return { release: () => release(host, who) };
    }
    const holder = await livingHolder(host);
    if (holder !== undefined) throw refusal(holder);
    await putAwayStale(host, who.run);
  }
  const holder = await livingHolder(host);
  throw refusal(holder ?? mine);
}

// ---------------------------------------------------------------------------------------------------

async function release(host: MachineHost, { verb, run }: { verb: RunVerb; run: string }): Promise<void> {
  if ((await readHolder(host, LOCK_PATH))?.run !== run) return;
  await host.remove(LOCK_PATH);
  // The folder stays while the machine is ours: two runs that make and remove it would only get in each other's way.
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
    // Somebody begins a new run just now: it is theirs.
    if (!(error instanceof FlexError)) throw error;
  }
}

/** Moved before it is deleted: of two runs that find it, only one can move it. */
async function putAwayStale(host: MachineHost, run: string): Promise<void> {
  const aside = `${LOCK_PATH}.${run}`;
  try {
    await host.rename(LOCK_PATH, aside);
  } catch {
    return;
  }
  const moved = await readHolder(host, aside);
  // Between looking and moving, another run may have made a new one: it gets it back.
  if (moved !== undefined && (await isAlive(host, moved))) await host.rename(aside, LOCK_PATH);
  else await host.remove(aside);
}

async function livingHolder(host: MachineHost): Promise<LockHolder | undefined> {
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
    message: `Another run is at work on this machine: \`${holder.verb}\`, process ${holder.pid}, since ${holder.since}.`,
    where: LOCK_PATH,
    remedy: `Wait until it has finished (\`ps -p ${holder.pid}\`), then run the same command again.`,
  });
}
