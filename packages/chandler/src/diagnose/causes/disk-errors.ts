/**
 * Errors of disks in the log of a VM: which disk they are about. The disks of a node are those that it mounts before its
 * kubelet starts; others are of volumes, which may be detached while they are in use.
 */
import {
  ageBeforeUnready,
  BOOTED,
  type EvidenceSet,
  isAtEnd,
  isFollowedBy,
  isTrue,
  type LogHit,
  lastFound,
} from '../../causes/index.ts';

/** Not of a DVD or floppy drive: the empty one of every VM of Azure cannot be read. */
export const DISK_ERROR =
  /^(?!.*\b(?:sr|fd)\d+\b).*(?:Buffer I\/O error|blk_update_request: (?:I\/O|critical)|I\/O error, dev sd|EXT4-fs error|EXT4-fs \(\S+\): .*(?:\berror\b|aborted)|XFS \(\S+\): .*(?:I\/O error|[Cc]orruption|Shutting down)|Remounting filesystem read-only|critical (?:medium|target) error|Medium Error)/;

/** Not `invalid capacity 0 on image filesystem`: every kubelet logs it at its start. Not of the volume of a driver. */
export const KUBELET_DISK =
  /^(?!.*(?:kubernetes\.io[~/]csi|globalmount|Node(?:Stage|Publish)Volume)).*kubelet.*(?:no space left on device|read-only file system|input\/output error|failed to get rootfs info)/i;

export interface DiskLine extends LogHit {
  /** The node was Ready for long afterwards. */
  readonly isOld: boolean;
}

/** The last line, at the end of the log of a node that is not Ready, that is about a disk of the node, or of a volume. */
export function diskLineOfUnready(
  evidence: EvidenceSet,
  says: RegExp,
  of: 'node' | 'volume',
): DiskLine | undefined {
  const unready = evidence.all('node').filter((node) => !isTrue(node, 'Ready'));
  for (const log of evidence.all('serialLog')) {
    const node = unready.find(({ claim }) => claim === log.claim);
    if (node === undefined) continue;
    const own = ownDisks(log.text);
    const isWanted = (line: string) => says.test(line) && isOfNode(own, line) === (of === 'node');
    const line = lastFound(log.text, (each) => isWanted(each) || undefined)?.line;
    if (line === undefined || !isAtEnd(log.text, line) || isFollowedBy(log.text, line, BOOT_COMPLETED))
      continue;
    return { log, line, isOld: ageBeforeUnready(node, log.text, line) === 'old' };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** What was wrong while it booted did not keep it from booting. */
const BOOT_COMPLETED = /\blogin:|Reached target .{0,40}Multi-User/;
/** The names that the disk of the operating system usually has. */
const USUAL: ReadonlySet<string> = new Set(['sda', 'vda', 'xvda', 'nvme0n1']);
const MOUNTED =
  /(?:EXT4-fs|XFS) \(([\w-]+)\): (?:mounted filesystem|Mounting V\d|Ending clean mount)|BTRFS info \(device ([\w-]+)/;
const DEVICE =
  /\bdev(?:ice)? ((?:[svh]d|xvd|nvme|dm-|md|loop)[\w-]*)|(?:EXT4-fs|XFS) \(([\w-]+)\)|\[((?:sd|vd|xvd)[a-z]+)\]/;

/** By the last boot in the log, if it is there. */
function ownDisks(text: string): ReadonlySet<string> {
  const start = text.lastIndexOf('Linux version ');
  if (start < 0) return USUAL;
  const boot = text.slice(start).split('\n');
  const end = boot.findIndex((line) => BOOTED.test(line));
  const mounted = (end < 0 ? boot : boot.slice(0, end)).flatMap((line) => deviceIn(line, MOUNTED) ?? []);
  return mounted.length === 0 ? USUAL : new Set(mounted);
}

/** A line that names no disk may be about that of the node. */
function isOfNode(own: ReadonlySet<string>, line: string): boolean {
  const device = deviceIn(line, DEVICE);
  return device === undefined || own.has(device);
}

/** Without its partition. */
function deviceIn(line: string, pattern: RegExp): string | undefined {
  const name = pattern
    .exec(line)
    ?.slice(1)
    .find((each) => each !== undefined);
  return name?.replace(/^(nvme\d+n\d+)p\d+$|^((?:sd|vd|xvd)[a-z]+)\d+$/, '$1$2');
}
