/**
 * Lines of the serial log of a VM that show why its operating system does not start. The controller quotes one of them
 * when a launch fails, and `why` reads logs and quotes by the same rows. Order: the first row with a line decides, so what
 * is the cause comes before what follows from it.
 */
import { BOOTED } from '../../causes/index.ts';

export interface BootLineRow {
  /** In messages of failed launches, from which `why` reads it: a row keeps its words. */
  readonly shows: string;
  readonly says: RegExp;
  /** A later line of this kind shows that the boot went on. */
  readonly overAfter: RegExp;
  /** Whoever writes the line does not try again. */
  readonly isFinal: boolean;
  /** Only of a disk that the node itself mounts. */
  readonly isOfNodeDisk?: true;
  /** Only as the very last line: every boot has such lines before. */
  readonly isLast?: true;
}

/** Not of a DVD or floppy drive: the empty one of every VM of Azure cannot be read. */
const DISK_ERROR =
  /^(?!.*\b(?:sr|fd)\d+\b).*(?:Buffer I\/O error|blk_update_request: (?:I\/O|critical)|I\/O error, dev (?:sd|vd|xvd|nvme)|EXT4-fs error|EXT4-fs \(\S+\): .*(?:\berror\b|aborted)|XFS \(\S+\): .*(?:I\/O error|[Cc]orruption|Shutting down)|Remounting filesystem read-only|critical (?:medium|target) error|Medium Error)/;

/** The kernel writes nothing to that file system any more, also where the boot goes on. */
const READ_ONLY =
  /^(?!.*\b(?:sr|fd)\d+\b).*(?:Remounting filesystem read-only|[Aa]borted journal|EXT4-fs \(\S+\): .*aborted|XFS \(\S+\): .*Shutting down)/;

/** Not `invalid capacity 0 on image filesystem`: every kubelet logs it at its start. Not of the volume of a driver. */
const KUBELET_DISK =
  /^(?!.*(?:kubernetes\.io[~/]csi|globalmount|Node(?:Stage|Publish)Volume)).*kubelet.*(?:no space left on device|read-only file system|input\/output error|failed to get rootfs info)/i;

/** What was wrong while it booted did not keep it from booting. */
export const BOOT_COMPLETED = /\blogin:|Reached target .{0,40}Multi-User/;

/** The kernel has handed over to systemd. */
export const USERSPACE = new RegExp(`\\bsystemd\\[1\\]|\\[\\s+OK\\s+\\]|${BOOTED.source}`);

const REGISTERED = /[Ss]uccessfully registered node/;

/** A kubelet that only prints something may print it because of the disk. */
const WENT_ON = new RegExp(
  `Started .{0,40}\\b[Kk]ubelet|Reached target .{0,40}Network is Online|${REGISTERED.source}`,
);

export const BOOT_LINES = {
  /** A login prompt appears there, too. */
  readOnlyDisk: {
    shows: 'read-only disk',
    says: READ_ONLY,
    overAfter: WENT_ON,
    isFinal: true,
    isOfNodeDisk: true,
  },
  disk: {
    shows: 'disk error',
    says: DISK_ERROR,
    overAfter: new RegExp(`${WENT_ON.source}|${BOOT_COMPLETED.source}`),
    isFinal: true,
    isOfNodeDisk: true,
  },
  kubeletDisk: {
    shows: 'kubelet disk error',
    says: KUBELET_DISK,
    overAfter: REGISTERED,
    isFinal: true,
  },
  noBoot: {
    shows: 'boot failure',
    says: /Kernel panic|end Kernel panic|Unable to mount root fs|VFS: Cannot open root device|Gave up waiting for root|Entering emergency mode|You are in emergency mode|emergency shell|grub rescue>/i,
    overAfter: BOOTED,
    isFinal: true,
  },
  /** It tries one device after the other, the empty DVD first. */
  firmware: {
    shows: 'firmware error',
    says: /No bootable device|Boot Failed|did not load an operating system|boot loader failed/i,
    // Consoles may be quiet until systemd prints what it has started.
    overAfter: new RegExp(`\\bLinux version \\d|${USERSPACE.source}`),
    isFinal: false,
  },
  /** Many that boot well have it. */
  initialFiles: {
    shows: 'initial file system error',
    says: /initramfs unpacking failed/i,
    overAfter: USERSPACE,
    isFinal: false,
  },
  /** An initial file system waits for its disk. */
  slowDisk: {
    shows: 'missing root disk',
    says: /dracut-initqueue\S* timeout/i,
    overAfter: BOOTED,
    isFinal: false,
  },
  hang: {
    shows: 'unfinished job',
    says: /[Jj]ob .{1,200} (?:is )?running/,
    overAfter: BOOTED,
    isFinal: false,
    isLast: true,
  },
} satisfies Readonly<Record<string, BootLineRow>>;

export type BootLineKind = keyof typeof BOOT_LINES;
