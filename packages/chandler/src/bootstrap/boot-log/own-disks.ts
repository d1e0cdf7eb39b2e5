/**
 * Which disk a line of a serial log is about. The disks of a node are those that it mounts before its kubelet starts;
 * others are of volumes, which may be detached while they are in use.
 */
import { BOOTED } from '../../causes/index.ts';

/** By the last boot in the log, if it is there. */
export function ownDisks(text: string): ReadonlySet<string> {
  const start = text.lastIndexOf('Linux version ');
  if (start < 0) return USUAL;
  const boot = text.slice(start).split('\n');
  const end = boot.findIndex((line) => BOOTED.test(line));
  const mounted = (end < 0 ? boot : boot.slice(0, end)).flatMap((line) => deviceIn(line, MOUNTED) ?? []);
  return mounted.length === 0 ? USUAL : new Set(mounted);
}

/** A line that names no disk may be about that of the node. */
export function isOfNode(own: ReadonlySet<string>, line: string): boolean {
  const device = deviceIn(line, DEVICE);
  return device === undefined || own.has(device);
}

// ---------------------------------------------------------------------------------------------------

/** The names that the disk of the operating system usually has. */
const USUAL: ReadonlySet<string> = new Set(['sda', 'vda', 'xvda', 'nvme0n1']);
const MOUNTED =
  /(?:EXT4-fs|XFS) \(([\w-]+)\): (?:mounted filesystem|Mounting V\d|Ending clean mount)|BTRFS info \(device ([\w-]+)/;
const DEVICE =
  /\bdev(?:ice)? ((?:[svh]d|xvd|nvme|dm-|md|loop)[\w-]*)|(?:EXT4-fs|XFS) \(([\w-]+)\)|\[((?:sd|vd|xvd)[a-z]+)\]/;

/** Without its partition. */
function deviceIn(line: string, pattern: RegExp): string | undefined {
  const name = pattern
    .exec(line)
    ?.slice(1)
    .find((each) => each !== undefined);
  return name?.replace(/^(nvme\d+n\d+)p\d+$|^((?:sd|vd|xvd)[a-z]+)\d+$/, '$1$2');
}
