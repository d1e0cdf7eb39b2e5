/**
 * Which disk encryption set the OS disks of a node class get, and why that one: its own field, then the controller's
 * option (flag, environment, settings), then the managed cluster's property. The strongest that is set wins, even when
 * it is malformed: falling back to another key, or to none, would be a silent change of who can read the disk.
 * Whether the chosen set can be used, `evidence/` finds out.
 */
import type { AKSNodeClass } from '../../../api/index.ts';
import type { Source, Sourced } from '../../../settings/index.ts';

import { isMalformed, parseDiskEncryptionSetId, sameResourceId } from './disk-encryption-set-id.ts';

export const NODE_CLASS_FIELD = 'spec.osDiskDiskEncryptionSetID';

export interface DiskEncryptionSources {
  readonly nodeClass: Pick<AKSNodeClass, 'spec'>;
  /** `nodeOsdiskDiskencryptionsetId`: flag, environment or settings; an empty text is not set. */
  readonly option: Sourced<string | undefined>;
  /** The managed cluster's property; undefined when it has none or cannot be read. */
  readonly cluster: Sourced<string> | undefined;
}

export interface DiskEncryptionChoice {
  /** Absent if no source names a set: disks get the platform-managed key. */
  readonly chosen?: Sourced<string>;
  /** What is wrong with the chosen ID, as the end of the sentence "the id …". */
  readonly malformed?: string;
  /** Set elsewhere and not used, strongest first; equal ones too. */
  readonly others: readonly Sourced<string>[];
  /** Only when a weaker source names another set. */
  readonly conflict?: DiskEncryptionConflict;
}

export interface DiskEncryptionConflict {
  readonly winner: Sourced<string>;
  readonly ignored: readonly Sourced<string>[];
}

export function resolveDiskEncryptionSet(sources: DiskEncryptionSources): DiskEncryptionChoice {
  const [chosen, ...others] = candidates(sources);
  if (chosen === undefined) return { others: [] };
  const parsed = parseDiskEncryptionSetId(chosen.value);
  const ignored = others.filter((other) => !sameResourceId(other.value, chosen.value));
  return {
    chosen,
    ...(isMalformed(parsed) ? { malformed: parsed.problem } : {}),
    others,
    ...(ignored.length === 0 ? {} : { conflict: { winner: chosen, ignored } }),
  };
}

/** "… from the flag --x is used; y from the managed cluster is ignored", for a condition. */
export function describeConflict(conflict: DiskEncryptionConflict): string {
  const ignored = conflict.ignored
    .map((other) => `${other.value} from ${describeSource(other)}`)
    .join(' and ');
  return `${conflict.winner.value} from ${describeSource(conflict.winner)} is used; ${ignored} is ignored`;
}

export function describeSource(sourced: Sourced<unknown>): string {
  const where = SOURCE_TEXTS[sourced.source];
  return sourced.path === '' ? where : `${where} ${sourced.path}`;
}

// ---------------------------------------------------------------------------------------------------

const SOURCE_TEXTS: Readonly<Record<Source, string>> = {
  hardcoded: 'the defaults',
  flag: 'the flag',
  env: 'the environment variable',
  settings: 'the settings key',
  NodePool: 'the NodePool field',
  NodeClass: 'the NodeClass field',
  cluster: 'the managed cluster, property',
  computed: 'a computed value',
};

function candidates({ nodeClass, option, cluster }: DiskEncryptionSources): Sourced<string>[] {
  const own = nodeClass.spec?.osDiskDiskEncryptionSetID;
  const all: (Sourced<string | undefined> | undefined)[] = [
    { value: own, source: 'NodeClass', path: NODE_CLASS_FIELD },
    option,
    cluster,
  ];
  return all.flatMap((each) => {
    const value = each?.value?.trim() ?? '';
    return each === undefined || value === '' ? [] : [{ ...each, value }];
  });
}
