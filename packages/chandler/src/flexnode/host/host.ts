/**
 * The machine, as the steps see it: files and commands, nothing else. Paths are the machine's own absolute paths; an
 * implementation may put a root in front of them. Three of them exist: the real one, one that keeps a record of what was
 * there before (so that it can be put back), and one that only notes what would be done (a dry run).
 */

export interface Host {
  /** `undefined`: there is no such file. Anything else that prevents reading is thrown as a `FlexError`. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** The same in pieces, for files that are too large to hold; where a host has none, `readFile` does. */
  readStream?(path: string): AsyncIterable<Uint8Array>;
  /** Whether two files hold the same bytes; see `same-content.ts` for hosts that have none. */
  sameContent?(one: string, other: string): Promise<boolean>;
  /** Does not follow a link. */
  lstat(path: string): Promise<FileInfo | undefined>;
  /** Names in a directory, sorted by code unit; empty when there is none. */
  list(path: string): Promise<readonly string[]>;
  /** Bytes free for root on the file system that holds the path (or its nearest parent that exists). */
  freeBytes(path: string): Promise<number>;

  /** Whole or not at all: written beside the target, synced, renamed. Content and mode that are there already are left alone. */
  writeFile(path: string, content: string | Uint8Array, options: { readonly mode: number }): Promise<void>;
  /** Bytes to a file as they come, after those that are there when `append`; no rename. For downloads in a folder of our own. */
  writeStream(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    options: { readonly mode: number; readonly append: boolean },
  ): Promise<void>;
  /** With its parents (0755 each). A directory that is there keeps its content; its mode is set when `mode` differs. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Replaces what is there, in one step. */
  symlink(target: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  /** A file, a link or an empty directory; no complaint when it is not there. */
  remove(path: string): Promise<void>;
  /** A directory with all that is in it, never across a mount point. */
  removeTree(path: string): Promise<void>;

  run(command: Command): Promise<CommandResult>;
}

export interface FileInfo {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Only the permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Of a link. */
  readonly target?: string;
}

export interface Command {
  /** Program and arguments, never through a shell, never with a secret. */
  readonly argv: readonly [string, ...string[]];
  /** Added to a small fixed environment (PATH, LANG, HOME); the caller's own environment is not handed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** `true`: it changes the machine; a dry run names it and does not run it. */
  readonly changes: boolean;
  /** What a dry run takes for its answer; exit 0 and no output unless said. */
  readonly pretend?: Partial<CommandResult>;
  /** Its output goes to the operator's terminal as it comes, and it may ask (device-code login). */
  readonly interactive?: boolean;
}

export interface CommandResult {
  /** 127 when there is command not found, 124 when it took too long. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}
