/**
 * The last commands of disruption, as kept in a ConfigMap in the namespace of the controller: one entry per command, bounded
 * in number and size. `controllers/disruption` writes it; `chandler plan --history` reads it.
 */

export const KEPT_COMMANDS_NAME = 'chandler-disruption-history';
export const MAX_KEPT_COMMANDS = 200;
/** Of all names and texts together. */
export const KEPT_COMMANDS_LIMIT_BYTES = 512 * 1024;
/** Of the nodes of one command. */
const MAX_NODES = 100;
const MAX_MESSAGE = 500;

export interface KeptCommand {
  readonly id: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** Such as `Underutilized`. */
  readonly reason: string;
  readonly method: string;
  readonly decision: string;
  readonly nodes: readonly string[];
  /** How many nodes it removed, if `nodes` is cut. */
  readonly nodeCount: number;
  readonly nodePools: readonly string[];
  /** NodeClaims that were launched for it. */
  readonly replacements: readonly string[];
  /** Per hour. */
  readonly priceBefore: number;
  readonly priceAfter: number;
  readonly podsMoved: number;
  readonly outcome: string;
  /** Why it failed. */
  readonly message?: string;
}

export function keptCommandText(command: Omit<KeptCommand, 'nodeCount'>): string {
  const { nodes, message, priceBefore, priceAfter, ...rest } = command;
  return JSON.stringify({
    ...rest,
    nodes: nodes.slice(0, MAX_NODES),
    nodeCount: nodes.length,
    priceBefore: rounded(priceBefore),
    priceAfter: rounded(priceAfter),
    ...(message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE) }),
  });
}

/** The newest first; texts that are not ours are left out. */
export function readKeptCommands(data: Readonly<Record<string, string>>): readonly KeptCommand[] {
  return Object.values(data)
    .flatMap((text) => readKeptCommand(text) ?? [])
    .sort(newestFirst);
}

/**
 * The patch to the data of the ConfigMap that adds these entries: texts to set, and null for entries to remove, the oldest
 * first. An entry that is there is not written again. Undefined if nothing changes.
 */
export function keptCommandsPatch(
  data: Readonly<Record<string, string>>,
  added: ReadonlyMap<string, string>,
): Readonly<Record<string, string | null>> | undefined {
  const fresh = [...added].filter(([id]) => data[id] === undefined);
  if (fresh.length === 0) return undefined;
  const all: Record<string, string> = { ...data, ...Object.fromEntries(fresh) };
  const ordered = Object.keys(all)
    .map((id) => ({ id, command: readKeptCommand(all[id]) }))
    .sort((one, other) =>
      one.command === undefined || other.command === undefined
        ? Number(one.command === undefined) - Number(other.command === undefined)
        : newestFirst(one.command, other.command),
    );
  const patch: Record<string, string | null> = Object.fromEntries(fresh);
  let bytes = 0;
  for (const [index, { id }] of ordered.entries()) {
    bytes += Buffer.byteLength(id) + Buffer.byteLength(all[id]!);
    if (index < MAX_KEPT_COMMANDS && bytes <= KEPT_COMMANDS_LIMIT_BYTES) continue;
    if (id in data) patch[id] = null;
    else delete patch[id];
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

// ---------------------------------------------------------------------------------------------------

const TEXTS = ['id', 'startedAt', 'endedAt', 'reason', 'method', 'decision', 'outcome'] as const;
const LISTS = ['nodes', 'nodePools', 'replacements'] as const;
const NUMBERS = ['nodeCount', 'priceBefore', 'priceAfter', 'podsMoved'] as const;

function readKeptCommand(text: string | undefined): KeptCommand | undefined {
  try {
    const read = JSON.parse(text ?? '') as KeptCommand;
    const isOurs =
      TEXTS.every((name) => typeof read[name] === 'string') &&
      LISTS.every((name) => read[name].every((item) => typeof item === 'string')) &&
      NUMBERS.every((name) => typeof read[name] === 'number') &&
      ['string', 'undefined'].includes(typeof read.message);
    return isOurs && !Number.isNaN(Date.parse(read.endedAt)) ? read : undefined;
  } catch {
    return undefined;
  }
}

function newestFirst(one: KeptCommand, other: KeptCommand): number {
  return Date.parse(other.endedAt) - Date.parse(one.endedAt) || (one.id < other.id ? -1 : 1);
}

function rounded(price: number): number {
  return Number(price.toFixed(5));
}
