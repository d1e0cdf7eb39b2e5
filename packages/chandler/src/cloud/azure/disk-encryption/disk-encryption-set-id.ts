/**
 * The resource ID of a disk encryption set: reading one, and telling whether two mean the same set. Azure writes such
 * IDs in any case, so nothing here compares them as text. What is malformed is data: it says what is wrong.
 */
import { DISK_ENCRYPTION_SET_ID } from '../../../api/index.ts';
import { sameResource } from '../../../arm/index.ts';

export interface DiskEncryptionSetId {
  /** As it was given, without space around it. */
  readonly id: string;
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
}

export interface MalformedId {
  readonly id: string;
  /** What is wrong, as the end of the sentence "the id …". */
  readonly problem: string;
}

export function parseDiskEncryptionSetId(text: string): DiskEncryptionSetId | MalformedId {
  const id = text.trim();
  if (PATTERN.test(id)) {
    const parts = id.split('/');
    return { id, subscription: parts[2]!, resourceGroup: parts[4]!, name: parts[8]! };
  }
  return { id, problem: problemOf(id) };
}

export function isMalformed(parsed: DiskEncryptionSetId | MalformedId): parsed is MalformedId {
  return 'problem' in parsed;
}

/** As `sameResource`, where either may be absent: no ID equals only no ID. */
export function sameResourceId(a: string | undefined, b: string | undefined): boolean {
  return sameResource(a ?? '', b ?? '');
}

// ---------------------------------------------------------------------------------------------------

// JavaScript has no inline flags, Kubernetes has nothing else.
const PATTERN = new RegExp(DISK_ENCRYPTION_SET_ID.replace(/^\(\?i\)/, ''), 'i');

const LITERALS: readonly (readonly [at: number, literal: string])[] = [
  [1, 'subscriptions'],
  [3, 'resourceGroups'],
  [5, 'providers'],
  [6, 'Microsoft.Compute'],
  [7, 'diskEncryptionSets'],
];

function problemOf(id: string): string {
  const parts = id.split('/');
  if (!id.startsWith('/')) return `must start with /subscriptions/, but is "${shown(id)}"`;
  for (const [at, literal] of LITERALS) {
    if (parts[at]?.toLowerCase() !== literal.toLowerCase()) {
      return `must have "${literal}" as segment ${at}, but has "${shown(parts[at] ?? '')}"`;
    }
  }
  if (parts.length !== 9) return `must have 8 segments, but has ${parts.length - 1}`;
  if (parts.slice(1).includes('')) return 'has an empty segment';
  return 'has a character that Azure does not allow in a resource group or name';
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
